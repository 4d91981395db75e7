"""Trees that are chosen while they are built: the encoder of G-TLSTM (Choi et al., 2018, AAAI, 1707.02786).

In training a step's merge is drawn by the straight-through Gumbel softmax, in evaluation it is the best.

Forget gates have 1 added, and scores are divided by the square root of the width, as in the released code
(jihunchoi/unsupervised-treelstm, ``model/treelstm.py``; its earlier versions do not divide).

In evaluation a step changes only the candidates beside the new node, so only those are composed anew: the
same function.  In training all neighbours are composed at each step, as in the released code: candidates
kept from the step before would be equal, but would not pass on the straight-through gradients.

Computed in float32 also where the rest is in half precision: a rounded score can change the whole tree.

Pitfalls avoided: the released code composes all places of the longest sentence for all sentences, and puts a
mask over the softmax after it was taken; here padding is neither composed nor scored.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import one_hot

from crossexam.zoo import masked


class GumbelTree(nn.Module):
    """Leaf LSTM and tree-LSTM whose tree is chosen from bottom to top.

    Glossary of shapes: B sentences, T words, R sentences that still have two nodes or more, K pairs of
    neighbours in them, w width of word vectors, h hidden width.  A state is hidden and cell side by side.
    """

    def __init__(self, width: int, hidden: int, temperature: float, deviation: float) -> None:
        super().__init__()
        h = hidden
        self.leaf = nn.LSTMCell(width, h)
        self.composition = nn.Linear(2 * h, 5 * h)  # W_comp, b_comp of i, f_l, f_r, u, o
        self.query = nn.Parameter(torch.empty(h).normal_(std=deviation))  # q
        self.temperature = temperature
        nn.init.kaiming_normal_(self.leaf.weight_ih)
        nn.init.orthogonal_(self.leaf.weight_hh)
        nn.init.kaiming_normal_(self.composition.weight)
        for bias in (self.leaf.bias_ih, self.leaf.bias_hh, self.composition.bias):
            nn.init.zeros_(bias)
        nn.init.ones_(self.leaf.bias_ih.detach()[h : 2 * h])  # of the forget gate

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Return the roots' hidden states: [B, T, w] -> [B, h]."""
        lengths, longest_first = mask.sum(1).sort(descending=True, stable=True)  # [B]
        grow = self._drawn if self.training else self._best
        with torch.autocast(x.device.type, enabled=False):
            states = self._leaves(x.float())[longest_first]  # [B, T, 2h]
            roots = grow(states, lengths, lengths.tolist())  # [B, h]
        return roots[longest_first.argsort()]

    def _leaves(self, x: Tensor) -> Tensor:
        """Return the leaf LSTM's states: [B, T, w] -> [B, T, 2h]; what follows a sentence is not read."""
        h = c = x.new_zeros(len(x), self.leaf.hidden_size)  # [B, h]
        states = []
        for word in x.unbind(1):
            h, c = self.leaf(word, (h, c))
            states.append(torch.cat([h, c], -1))
        return torch.stack(states, 1)

    def compose(self, left: Tensor, right: Tensor) -> Tensor:
        """Return the states of the nodes over *left* and *right* ones: [K, 2h] each -> [K, 2h]."""
        (h_l, c_l), (h_r, c_r) = left.chunk(2, -1), right.chunk(2, -1)
        i, f_l, f_r, u, o = self.composition(torch.cat([h_l, h_r], -1)).chunk(5, -1)  # [K, h] each
        c = torch.sigmoid(f_l + 1) * c_l + torch.sigmoid(f_r + 1) * c_r + torch.sigmoid(i) * torch.tanh(u)
        return torch.cat([torch.sigmoid(o) * torch.tanh(c), c], -1)

    def scores(self, states: Tensor) -> Tensor:
        """Return how good candidates are, q . h / sqrt(d): [K, 2h] -> [K]."""
        h = states.chunk(2, -1)[0]
        result: Tensor = h @ self.query / h.shape[-1] ** 0.5
        return result

    def _drawn(self, states: Tensor, lengths: Tensor, counts: list[int]) -> Tensor:
        """Return the roots of trees drawn at random: states [B, T, 2h], longest first -> [B, h].

        Nodes are packed, sentence after sentence.  The sentences that are done at a step are the last.
        """
        nodes = states[torch.arange(states.shape[1], device=states.device) < lengths.unsqueeze(1)]
        roots: list[Tensor] = []
        for step in range(counts[0]):
            done = sum(count == step + 1 for count in counts)
            going = sum(count > step + 1 for count in counts)
            roots.append(nodes[len(nodes) - done :].chunk(2, -1)[0])
            nodes = nodes[: len(nodes) - done]
            if going:
                pairs = sum(count - step - 1 for count in counts[:going])
                nodes = self._merged(nodes, lengths[:going] - step - 1, pairs, counts[0] - step - 1)
        return torch.cat(roots[::-1])

    def _merged(self, nodes: Tensor, pairs: Tensor, total: int, most: int) -> Tensor:
        """Return the nodes after one merge in each of R sentences: [K + R, 2h] -> [K, 2h].

        *pairs* [R] counts their neighbours, *total* is K, the sum, *most* the largest.
        """
        rows = torch.arange(len(pairs), device=nodes.device)
        row = rows.repeat_interleave(pairs, output_size=total)  # [K]
        pair = torch.arange(total, device=nodes.device)  # [K]
        left, right = nodes[pair + row], nodes[pair + row + 1]  # [K, 2h]
        parents = self.compose(left, right)  # [K, 2h]

        place = row * most + pair - (pairs.cumsum(0) - pairs)[row]  # [K], in [R, most] laid flat
        scores = parents.new_zeros(len(pairs) * most).index_copy(0, place, self.scores(parents))
        mask = torch.arange(most, device=nodes.device) < pairs.unsqueeze(1)  # [R, most]
        choice = self._choice(scores.view(len(pairs), most), mask)  # [R, most]
        before = choice.cumsum(1) - choice  # [R, most]: chosen to the left of here
        weights = torch.stack([choice, 1 - choice - before, before], -1)  # [R, most, 3]
        here, to_right, to_left = weights.flatten(0, 1)[place].chunk(3, -1)  # [K, 1] each
        return here * parents + to_right * left + to_left * right

    def _choice(self, scores: Tensor, mask: Tensor) -> Tensor:
        """Return one 1 in each row, drawn by softmax(scores), whose gradient is the softmax's: [R, S]."""
        noisy = (scores + gumbel_noise(scores)) / self.temperature  # [R, S]
        soft = masked.softmax(noisy, mask)  # [R, S]
        hard = one_hot(soft.argmax(1), soft.shape[1]).to(soft.dtype)  # [R, S]
        return hard + (soft - soft.detach())

    def _best(self, states: Tensor, lengths: Tensor, counts: list[int]) -> Tensor:
        """Return the roots of the trees of best merges: states [B, T, 2h], longest first -> [B, h].

        A node stands where its first word stands.  ``after`` and ``before`` link the nodes that are left,
        place T stands for both ends of the sentence.
        """
        batch, end = states.shape[:2]
        place = torch.arange(end, device=states.device)
        states = torch.cat([states, states.new_zeros(batch, 1, states.shape[2])], 1)  # [B, T+1, 2h]
        after = torch.where(place + 1 < lengths.unsqueeze(1), place + 1, end)  # [B, T]
        after = torch.cat([after, after.new_full((batch, 1), end)], 1)  # [B, T+1]
        before = torch.cat([place - 1, place.new_tensor([end - 1])]).expand(batch, -1).clone()  # [B, T+1]
        before[:, 0] = end
        lowest = torch.finfo(states.dtype).min
        parents = torch.zeros_like(states)  # [B, T+1, 2h], over a node and the next
        scores = states.detach().new_full((batch, end + 1), lowest)  # [B, T+1]

        def renew(row: Tensor, left: Tensor) -> None:
            right = after[row, left]
            made = self.compose(states[row, left], states[row, right])
            parents[row, left] = made
            real = (left < end) & (right < end)
            scores[row, left] = self.scores(made.detach()).masked_fill(~real, lowest)

        renew(*(after < end).nonzero(as_tuple=True))
        for step in range(1, counts[0]):
            row = torch.arange(sum(count > step for count in counts), device=states.device)  # [R]
            best = scores[row].argmax(1)  # [R]
            gone = after[row, best]  # [R]
            states[row, best] = parents[row, best]
            scores[row, gone] = lowest
            after[row, best] = after[row, gone]
            before[row, after[row, gone]] = best
            renew(row.repeat(2), torch.cat([best, before[row, best]]))
        return states[:, 0].chunk(2, -1)[0]


def gumbel_noise(like: Tensor) -> Tensor:
    """Return draws from the standard Gumbel distribution, by torch's generator, of the shape of *like*."""
    return -torch.empty_like(like, requires_grad=False).exponential_().log()
