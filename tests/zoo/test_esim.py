"""ESIM against its equations, of one unpadded pair at a time."""

import torch

from crossexam.zoo import esim
from made.architectures import PAIRS, alone, close, each_pair, enhanced, small


def test_esim_is_that_of_each_pair_alone() -> None:
    model = small(esim.ESIM, esim.Config(width=6, hidden=5))
    wanted = []
    for sides in each_pair(model):
        a, b = (alone(model.encoder.lstm, words)[0] for words in sides)
        v = []
        for ours, other in ((a, b), (b, a)):
            composed = alone(model.composition.lstm, enhanced(model, ours, other))[0]
            v += [composed.mean(0), composed.amax(0)]
        wanted.append(model.output(model.hidden(torch.cat(v)).tanh()))
    close(model(PAIRS), torch.stack(wanted))
