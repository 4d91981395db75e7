"""DR-BiLSTM against its equations, of one unpadded pair at a time."""

import torch
from torch import Tensor, nn

from crossexam.zoo import dr_bilstm
from made.architectures import PAIRS, alone, close, each_pair, enhanced, small


def test_dr_bilstm_is_that_of_each_pair_alone() -> None:
    model = small(dr_bilstm.DRBiLSTM, dr_bilstm.Config(width=6, hidden=5))

    def read(layer: nn.LSTM, u: Tensor, v: Tensor) -> list[Tensor]:
        (u_alone, u_final), (v_alone, v_final) = alone(layer, u), alone(layer, v)
        return [u_alone, v_alone, alone(layer, u, v_final)[0], alone(layer, v, u_final)[0]]

    wanted = []
    for premise, hypothesis in each_pair(model):
        _, _, u, v = read(model.encoder.lstm, premise, hypothesis)
        sides = enhanced(model, u, v), enhanced(model, v, u)
        p_alone, q_alone, p, q = read(model.inference.lstm, *sides)
        p, q = torch.maximum(p_alone, p), torch.maximum(q_alone, q)
        pooled = torch.cat([p.amax(0), p.mean(0), q.amax(0), q.mean(0)])
        wanted.append(model.output(model.hidden(pooled).tanh()))
    close(model(PAIRS), torch.stack(wanted))
