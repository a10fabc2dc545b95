"""A monitor in Lightning's loop."""

import numpy as np
import pytest

import causal_disent

torch = pytest.importorskip("torch")
lightning = pytest.importorskip("lightning")
from causal_disent.integrations.lightning import MonitorCallback  # noqa: E402

FACTORS = np.indices((4, 4)).reshape(2, -1).T
FAST = {"metrics": "r2", "bootstrap": 0, "chance": 0, "busy": "queue"}


class Module(lightning.LightningModule):
    """Learns to be the inputs."""

    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Dropout(0.1))
        self.modes = []

    def forward(self, inputs):
        self.modes.append((self.training, torch.is_grad_enabled()))
        return self.layers(inputs)

    def training_step(self, batch, index):
        return ((self.layers(batch[0]) - batch[0]) ** 2).mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.05)


class Kept(lightning.pytorch.loggers.logger.DummyLogger):
    """Keeps what is logged."""

    def __init__(self):
        super().__init__()
        self.kept = {}

    def log_metrics(self, metrics, step=None):
        self.kept.setdefault(step, {}).update(metrics)


def fit(callbacks, folder, epochs=3):
    lightning.seed_everything(0, verbose=False)
    module, logger = Module(), Kept()
    data = torch.utils.data.TensorDataset(torch.tensor(FACTORS, dtype=torch.float32))
    loader = torch.utils.data.DataLoader(data, batch_size=4, shuffle=True)
    trainer = lightning.Trainer(
        max_epochs=epochs, callbacks=callbacks, logger=logger, accelerator="cpu", default_root_dir=folder,
        enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False, log_every_n_steps=1,
    )  # fmt: skip
    trainer.fit(module, loader)
    return module, logger, trainer


def test_scores_are_logged_and_the_training_is_the_same(tmp_path):
    monitor = causal_disent.Monitor(FACTORS * 1.0, FACTORS, every=5, **FAST)
    module, logger, _ = fit([MonitorCallback(monitor)], tmp_path)
    assert monitor.table["step"].tolist() == [0, 5, 10]
    logged = {step: terms["r2/score"] for step, terms in logger.kept.items() if "r2/score" in terms}
    assert logged == dict(zip(monitor.table["step"], monitor.table["score"], strict=True))
    assert set(module.modes) == {(False, False)} and module.training
    without = fit([], tmp_path)[0]
    pairs = zip(module.state_dict().values(), without.state_dict().values(), strict=True)
    assert all(torch.equal(one, other) for one, other in pairs)


def test_training_stops_and_the_best_is_kept(tmp_path):
    options = {**FAST, "folder": tmp_path / "kept", "best": "r2", "patience": 2, "worker": False}
    monitor = causal_disent.Monitor(FACTORS * 1.0, FACTORS, every=1, **options)
    _, _, trainer = fit([MonitorCallback(monitor, lambda module, inputs: inputs)], tmp_path, epochs=10)
    assert trainer.global_step == 2 and monitor.best["step"] == 0
    assert (tmp_path / "kept/checkpoints/0/model.safetensors").is_file()
