"""A monitor in Hugging Face's `Trainer`."""

import numpy as np
import pytest

import causal_disent

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
pytest.importorskip("accelerate")
from causal_disent.integrations.transformers import MonitorCallback  # noqa: E402

FACTORS = np.indices((4, 4)).reshape(2, -1).T
TOKENS = {"input_ids": FACTORS + [1, 5], "attention_mask": np.ones_like(FACTORS)}
FAST = {"metrics": "r2", "bootstrap": 0, "chance": 0}


def read_codes(model, inputs):
    assert not model.training and set(inputs) == set(TOKENS)
    return model.bert(**inputs).last_hidden_state[:, 0]


def train(callbacks, folder, steps=4):
    transformers.set_seed(0)
    config = transformers.BertConfig(
        vocab_size=10, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8
    )
    model = transformers.BertForSequenceClassification(config)
    rows = [{**{k: v[i] for k, v in TOKENS.items()}, "labels": int(FACTORS[i, 0] > 1)} for i in range(16)]
    options = {"max_steps": steps, "per_device_train_batch_size": 4, "report_to": [], "save_strategy": "no"}
    arguments = transformers.TrainingArguments(str(folder), use_cpu=True, disable_tqdm=True, **options)
    trainer = transformers.Trainer(model, arguments, train_dataset=rows, callbacks=callbacks)
    trainer.train()
    return trainer


def test_scores_join_the_log_and_the_training_is_the_same(tmp_path):
    monitor = causal_disent.Monitor(TOKENS, FACTORS, every=2, busy="queue", **FAST)
    trainer = train([MonitorCallback(monitor, read_codes)], tmp_path)
    table = monitor.table
    assert table["step"].tolist() == [0, 2, 4] and not monitor.failures
    logged = {row["step"]: row["r2/score"] for row in trainer.state.log_history if "r2/score" in row}
    assert logged == dict(zip(table["step"], table["score"], strict=True))
    pairs = zip(trainer.model.parameters(), train([], tmp_path).model.parameters(), strict=True)
    assert all(torch.equal(one, other) for one, other in pairs)


def test_training_stops(tmp_path):
    monitor = causal_disent.Monitor(TOKENS, FACTORS, every=1, best="r2", patience=1, worker=False, **FAST)
    codes = torch.tensor(FACTORS, dtype=torch.float32)
    trainer = train([MonitorCallback(monitor, lambda model, inputs: codes)], tmp_path)
    assert trainer.state.global_step == 1


def test_a_second_training_logs_its_own_scores(tmp_path):
    monitor = causal_disent.Monitor(TOKENS, FACTORS, every=2, worker=False, **FAST)
    for _ in range(2):
        trainer = train([MonitorCallback(monitor, read_codes)], tmp_path)
        assert [row["step"] for row in trainer.state.log_history if "r2/score" in row] == [0, 2, 4]
