// What can be heard of a match.

/** @type {AudioContext | null} */
let audio = null;

/**
 * Tones of what can be heard: for each when it begins, its pitch, how long it lasts, and its shape.
 * @type {Record<string, [number, number, number, OscillatorType][]>}
 */
const SOUNDS = {
  place: [[0, 420, 0.09, "triangle"]],
  drop: [
    [0, 190, 0.12, "sine"],
    [0.1, 150, 0.1, "sine"],
  ],
  turn: [
    [0, 520, 0.06, "triangle"],
    [0.07, 620, 0.06, "triangle"],
  ],
  take: [
    [0, 330, 0.07, "triangle"],
    [0.06, 440, 0.08, "triangle"],
  ],
  low: [
    [0, 880, 0.1, "square"],
    [0.18, 880, 0.1, "square"],
  ],
  win: [
    [0, 523, 0.18, "triangle"],
    [0.14, 659, 0.18, "triangle"],
    [0.28, 784, 0.35, "triangle"],
  ],
  loss: [
    [0, 392, 0.2, "triangle"],
    [0.18, 311, 0.4, "triangle"],
  ],
  draw: [
    [0, 440, 0.18, "triangle"],
    [0.18, 440, 0.25, "triangle"],
  ],
  challenge: [
    [0, 587, 0.14, "triangle"],
    [0.16, 784, 0.22, "triangle"],
  ],
  chat: [[0, 700, 0.05, "sine"]],
};

const VOLUME = 0.12;

/**
 * Let something be heard.
 * @param {string} name
 */
export function play(name) {
  audio ??= new AudioContext();
  for (const [begin, pitch, length, shape] of SOUNDS[name]) {
    const [tone, volume, at] = [audio.createOscillator(), audio.createGain(), audio.currentTime + begin];
    tone.type = shape;
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(shape === "square" ? VOLUME / 4 : VOLUME, at);
    volume.gain.exponentialRampToValueAtTime(0.001, at + length);
    tone.connect(volume).connect(audio.destination);
    tone.start(at);
    tone.stop(at + length);
  }
}
