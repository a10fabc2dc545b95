"""Configs for the tests of training: small networks on the tiny data set."""

SHARED = [
    "dataset.name = 'tiny'",
    "model.batch_size = 4",
    "model.training_steps = 6",
    "model.eval_steps = 2",
    "encoder.num_latent = 3",
    "encoder.encoder_fn = @test_encoder",
    "decoder.decoder_fn = @test_decoder",
    "reconstruction_loss.loss_fn = @bernoulli_loss",
    "vae_optimizer.optimizer_fn = @vae/AdamOptimizer",
    "vae/AdamOptimizer.learning_rate = 0.01",
    "discriminator.discriminator_fn = @fc_discriminator",
    "discriminator_optimizer.optimizer_fn = @discriminator/AdamOptimizer",
    "discriminator/AdamOptimizer.learning_rate = 0.001",
    "discriminator/AdamOptimizer.beta1 = 0.5",
]
UNSUPERVISED = {
    "vae": ["vae.beta = 4"],
    "annealed_vae": [
        "annealed_vae.gamma = 10",
        "annealed_vae.c_max = 5.",
        "annealed_vae.iteration_threshold = 10",
    ],
    "factor_vae": ["factor_vae.gamma = 6"],
    "dip_vae": ["dip_vae.lambda_od = 10", "dip_vae.lambda_d_factor = 10", "dip_vae.dip_type = 'ii'"],
    "beta_tc_vae": ["beta_tc_vae.beta = 4"],
}
SUPERVISED = {
    "s2_vae": ["s2_vae.beta = 4"],
    "s2_factor_vae": ["s2_factor_vae.gamma = 6"],
    "s2_dip_vae": ["s2_dip_vae.lambda_od = 10", "s2_dip_vae.lambda_d_factor = 10"],
    "s2_beta_tc_vae": ["s2_beta_tc_vae.beta = 4"],
    "s2_factor_vae_bb": ["s2_factor_vae_bb.gamma = 6"],
}
LABELS = [
    "model.model_seed = 0",
    "model.unsupervised_data_seed = 1",
    "model.supervised_data_seed = 2",
    "model.num_labelled_samples = 5",
    "model.train_percentage = 0.8",
    "labeller.labeller_fn = @perfect_labeller",
    "supervised_loss.loss_fn = @embed",
    "embed.sigma = 'learn'",
    "annealer.anneal_fn = @anneal",
    "annealer.iteration_threshold = 3",
]


def unsupervised(name, *more):
    """Bindings for ``dlib_train``."""
    return [*SHARED, f"model.model = @{name}()", "model.random_seed = 0", *UNSUPERVISED[name], *more]


def supervised(name, *more):
    """Bindings for ``dlib_train_semi_supervised``."""
    weight = f"{name}.gamma_sup = 4"
    return [*SHARED, *LABELS, f"model.model = @{name}", weight, *SUPERVISED[name], *more]
