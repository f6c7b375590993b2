import type flvjs from 'flv.js'
import { createFlvLook } from './flv-look.ts'

/** For the head of the answer, which comes at once; a connection that was kept may be dead without a word. In ms. */
const patience = 4_000

/**
 * Loads HTTP-FLV for flv.js, which places the first picture at 0 and keeps its timestamp to itself: `first` is told it,
 * in ms. `arrived` is told how many bytes have come in all.
 */
export const loaderOf = (
  { BaseLoader, LoaderErrors }: typeof flvjs,
  first: (timestamp: number) => void,
  arrived: (bytes: number) => void,
): flvjs.CustomLoaderConstructor =>
  class extends BaseLoader {
    readonly #stop = new AbortController()
    #works = false

    constructor() {
      super('flv-loader')
    }

    override isWorking(): boolean {
      return this.#works
    }

    override open({ url }: flvjs.MediaSegment): void {
      this.#works = true
      this.#read(url).catch((error: unknown) => {
        if (this.#stop.signal.aborted) return
        this.#fail(LoaderErrors.EXCEPTION, { code: -1, msg: error instanceof Error ? error.message : '' })
      })
    }

    override abort(): void {
      this.#works = false
      this.#stop.abort()
    }

    override destroy(): void {
      this.abort()
      super.destroy()
    }

    async #read(url: string): Promise<void> {
      const { signal } = this.#stop
      const late = new AbortController()
      const timer = setTimeout(() => late.abort(), patience)
      const answer = await fetch(url, { signal: AbortSignal.any([signal, late.signal]) })
      clearTimeout(timer)
      if (signal.aborted) return
      if (!answer.ok || !answer.body)
        return this.#fail(LoaderErrors.HTTP_STATUS_CODE_INVALID, { code: answer.status, msg: answer.statusText })
      const reader = answer.body.getReader()
      let look: ReturnType<typeof createFlvLook> | undefined = createFlvLook()
      for (let received = 0; ;) {
        const { done, value } = await reader.read()
        if (signal.aborted) return
        if (done) {
          this.#works = false
          return this.onComplete(0, received - 1)
        }
        look?.feed(value)
        const begin = look?.first()
        if (begin !== undefined) {
          first(begin)
          look = undefined
        }
        const from = received
        received += value.byteLength
        arrived(received)
        this.onDataArrival(value.buffer, from, received)
      }
    }

    #fail(type: string, info: flvjs.LoaderErrorMessage): void {
      this.#works = false
      this.onError(type as unknown as flvjs.LoaderErrors, info)
    }
  }
