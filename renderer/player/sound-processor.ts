import { createBlockMeter } from './loudness.ts'

/** The global scope of an AudioWorklet, which the library of the DOM does not have. */
declare const sampleRate: number
declare const registerProcessor: (name: string, processor: new () => AudioWorkletProcessor) => void
declare class AudioWorkletProcessor {
  readonly port: MessagePort
}

/** Measures its input, and posts each `SoundBlock`, until anything is posted to it; null is its last word. */
registerProcessor(
  'sound-meter',
  class extends AudioWorkletProcessor {
    private isOver = false
    private readonly meter = createBlockMeter(sampleRate, (block) => this.port.postMessage(block))
    constructor() {
      super()
      this.port.onmessage = () => {
        this.isOver = true
      }
    }
    process([input]: readonly (readonly Float32Array[])[]): boolean {
      if (input) this.meter.add(input)
      if (this.isOver) this.port.postMessage(null)
      return !this.isOver
    }
  },
)
