"""BiMPM against its equations, of one unpadded pair at a time."""

import torch
from torch import Tensor

from crossexam.zoo import bimpm
from made.architectures import PAIRS, alone, close, each_pair, small


def multi(one: Tensor, other: Tensor, weight: Tensor) -> Tensor:
    """The cosine in each perspective."""
    return torch.cosine_similarity(one.unsqueeze(-2) * weight, other.unsqueeze(-2) * weight, -1)


def four_matchings(p: Tensor, q: Tensor, q_end: Tensor, weight: Tensor) -> Tensor:
    """Section 3.2: full, max-pooling, attentive and max-attentive matching of each word of p."""
    alpha = torch.cosine_similarity(p.unsqueeze(1), q, -1)
    best = multi(p.unsqueeze(1), q, weight[1]).amax(1)
    mean, nearest = alpha / alpha.sum(1, keepdim=True) @ q, q[alpha.argmax(1)]
    full = multi(p, q_end, weight[0])
    return torch.cat([full, best, multi(p, mean, weight[2]), multi(p, nearest, weight[3])], 1)


def test_the_sum_of_cosines_keeps_its_sign() -> None:
    q = torch.tensor([[[2.0, 1.0], [4.0, 4.0]]])
    alpha = torch.tensor([[[-0.5, 0.3], [0.0, 0.3]]])
    found = bimpm.weighted_mean(alpha, q, torch.tensor([[True, False]]))
    assert found.tolist() == [[[2.0, 1.0], [0.0, 0.0]]]  # -.5 q / -.5, and no sum


def test_bimpm_is_that_of_each_pair_alone() -> None:
    config = bimpm.Config(width=5, letters=3, spelling=4, hidden=6, perspectives=3)
    model = small(bimpm.BiMPM, config, deviation=0.6)
    wanted = []
    for row, sides in enumerate(each_pair(model)):
        states, ends = [], []
        for side, words in zip((PAIRS.premise, PAIRS.hypothesis), sides, strict=True):
            spelt = [
                alone(model.spelling.lstm, model.letters(letters[letters > 0]))[1][0][0, 0]
                for letters in side.characters[row, : len(words)]
            ]
            read, (hidden, _) = alone(model.context.lstm, torch.cat([words, torch.stack(spelt)], 1))
            states.append(read.chunk(2, -1))
            ends.append(hidden[:, 0])
        final = []
        for ours, theirs in ((0, 1), (1, 0)):
            matches = [
                four_matchings(states[ours][way], states[theirs][way], ends[theirs][way], match.weight)
                for way, match in enumerate((model.forward_matching, model.backward_matching))
            ]
            _, (hidden, _) = alone(model.aggregation.lstm, torch.cat(matches, -1))
            final += list(hidden[:, 0])
        wanted.append(model.output(model.hidden(torch.cat(final)).tanh()))
    close(model(PAIRS), torch.stack(wanted))
