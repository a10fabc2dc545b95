"""Shadow-Sunlight and Shadow-Pointlight: a body on a floor, a light, and the shadow it casts."""
