"""What runs inside Blender: no part of the library can be imported here, only bpy and numpy."""
