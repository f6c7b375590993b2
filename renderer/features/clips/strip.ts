import { onScopeDispose, ref, shallowRef, watch, type Ref } from 'vue'
import { lastBy } from './reel.ts'
import type { StripAsked, StripBars, StripIndex, StripSource, StripTold } from './strip-messages.ts'
import { default as program } from './strip-worker.ts?worker&url'

/** What of the reel is seen, in ms; how many pictures and bars have room in it. */
export interface StripView {
  readonly from: number
  readonly to: number
  readonly tiles: number
  readonly bars: number
}

/** Pictures of the whole reel, which a smaller range shows until its own are made. */
const overall = 60
/** Pictures that are kept: some 10 kB a piece on the graphics card, 20 MB at the most. */
const maxKept = 240
/** In ms; while somebody drags, nothing is asked for. */
const rest = 120

const between = (from: number, to: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => from + ((index + 0.5) * (to - from)) / count)

/** Film strip and wave of a reel, made in a worker; it ends with the scope, at once. */
export function useStrip(
  sources: Readonly<Ref<readonly StripSource[] | null>>,
  view: Readonly<Ref<StripView>>,
  length: Readonly<Ref<number>>,
) {
  const index = shallowRef<StripIndex | null>(null)
  const pictures = new Map<number, ImageBitmap>()
  /** Counts the changes of the pictures. */
  const made = ref(0)
  const bars = shallowRef<StripBars | null>(null)
  const missing = ref({ index: false, film: false, wave: false })
  let worker: Worker | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let wanted = ''

  const drop = (): void => {
    for (const picture of pictures.values()) picture.close()
    pictures.clear()
  }
  const keysFor = (times: readonly number[]): number[] =>
    times.flatMap((time) => {
      const { keys } = index.value!
      return keys[Math.max(0, lastBy(keys, time))] ?? []
    })
  const ask = (): void => {
    const { from, to, tiles, bars: count } = view.value
    if (!index.value || to <= from || tiles === 0) return
    const keys = new Set(keysFor([...between(from, to, tiles), ...between(0, length.value, overall)]))
    const missed = [...keys].filter((key) => !pictures.has(key))
    const has = bars.value?.from === from && bars.value.to === to && !bars.value.values.some(Number.isNaN)
    const asked: StripAsked = { type: 'show', keys: missed, bars: has ? null : { from, to, count } }
    if (JSON.stringify(asked) !== wanted) worker?.postMessage(asked)
    wanted = JSON.stringify(asked)
  }
  const keep = (key: number, picture: ImageBitmap): void => {
    pictures.get(key)?.close()
    pictures.set(key, picture)
    for (const [oldest, old] of pictures) {
      if (pictures.size <= maxKept) break
      old.close()
      pictures.delete(oldest)
    }
    made.value += 1
  }
  const told = ({ data }: MessageEvent<StripTold>): void => {
    if (data.type === 'index') {
      index.value = data
      ask()
    } else if (data.type === 'tile') keep(data.key, data.picture)
    else if (data.type === 'bars') bars.value = data
    else missing.value = { ...missing.value, [data.what]: true }
  }
  const stop = (): void => {
    worker?.terminate()
    worker = undefined
  }
  watch(
    sources,
    (now) => {
      stop()
      drop()
      index.value = null
      bars.value = null
      missing.value = { index: false, film: false, wave: false }
      wanted = ''
      if (!now) return
      worker = new Worker(program, { type: 'module' })
      worker.onmessage = told
      worker.onerror = () => (missing.value = { ...missing.value, index: true })
      worker.postMessage({ type: 'open', sources: now } satisfies StripAsked)
    },
    { immediate: true },
  )
  watch(view, () => {
    clearTimeout(timer)
    timer = setTimeout(ask, rest)
  })
  onScopeDispose(() => {
    clearTimeout(timer)
    stop()
    drop()
  })
  return {
    index,
    bars,
    made,
    missing,
    /** The picture of a time: of its key frame, or of the nearest one that is made; undefined for none yet. */
    pictureAt: (time: number): ImageBitmap | undefined => {
      const [key] = index.value ? keysFor([time]) : []
      if (key === undefined) return undefined
      const exact = pictures.get(key)
      if (exact) return exact
      let [best, apart] = [undefined as number | undefined, Infinity]
      for (const other of pictures.keys())
        if (Math.abs(other - time) < apart) [best, apart] = [other, Math.abs(other - time)]
      // Of another scene it would tell a lie.
      return best !== undefined && apart <= (2 * length.value) / overall ? pictures.get(best) : undefined
    },
  }
}
