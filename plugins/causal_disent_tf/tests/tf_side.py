"""TensorFlow's part in the comparisons with torch: a process that reads requests, a line of JSON each.

A request names a file of arrays (the weights among them), the config of the model and how many steps to make; what
is found is written into a second file.
"""

import json
import sys
from pathlib import Path

import numpy as np
import tensorflow as tf
from causal_disent_tf.backend import TfBackend
from causal_disent_tf.saved import weights_of
from causal_disent_tf.training import make_trainer
from equal_case import given_of, trainer_of

from causal_disent.training.objective import Given


def precision(name):
    """Have layers made from now on in that precision."""
    tf.keras.config.set_floatx(name)
    tf.keras.config.set_dtype_policy(name)


def double(array):
    """A tensor, of double precision if it has fractions."""
    return tf.constant(array, tf.float64 if array.dtype.kind == "f" else None)


def compare(request):
    arrays = dict(np.load(request["given"]))
    precision("float64")
    trainer = trainer_of("tf", make_trainer, request["bindings"], arrays)
    weights = weights_of(trainer.networks)
    for name, weight in weights.items():
        weight.load(arrays.pop(f"weight {name}"))
    names = {id(weight.variable): (name, weight.axes) for name, weight in weights.items()}
    found = {}
    for step in range(request["first"], request["first"] + request["steps"]):
        given = Given(**given_of(trainer, arrays, step, double))
        terms, gradients = trainer.gradients(given, tf.constant(arrays["order"]))
        for owner, optimizer in trainer.optimizers.items():
            if step == request["first"]:
                for variable, gradient in zip(trainer.trained[owner], gradients[owner], strict=True):
                    name, axes = names[id(variable)]
                    found[f"gradient {name}"] = np.transpose(gradient.numpy(), axes)
            optimizer.apply(gradients[owner], trainer.trained[owner])
        found.update({f"term {step} {name}": np.asarray(term) for name, term in terms.items()})
    found.update({f"weight {name}": weight.stored() for name, weight in weights.items()})
    return found


def encode(request):
    """Codes and images of a folder that torch wrote; a copy of it, written here, is left beside."""
    precision("float32")
    backend, arrays = TfBackend(), np.load(request["given"])
    model = backend.read(Path(request["folder"]))
    backend.write(Path(request["copy"]) / "model", model)
    codes = model(arrays["images"])
    return {
        "codes": codes,
        "pictures": model.decode(codes),
        "log_var": model.gaussian_encoder(arrays["images"])[1],
    }


for line in sys.stdin:
    request = json.loads(line)
    np.savez(request["found"], **(encode if "folder" in request else compare)(request))
    print("done", flush=True)
