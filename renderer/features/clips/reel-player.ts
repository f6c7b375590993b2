import { computed, onScopeDispose, ref, watch, type Ref } from 'vue'
import { partAt, type Cut, type Reel } from './reel.ts'

/** Speeds of playing. */
export const rates = [0.5, 1, 2] as const
/** A moment after the begin of a picture, so that it is this one that is shown; in ms. */
const within = 1
/** In ms; how often a picture is shown on the way back. */
const backEvery = 100

/** Plays a reel in one element, which has one file of it at a time. Times in ms of the reel. */
export function useReelPlayer(
  video: Readonly<Ref<HTMLVideoElement | null>>,
  reel: Readonly<Ref<Reel>>,
  paths: Readonly<Ref<readonly string[] | null>>,
  cut: Readonly<Ref<Cut>>,
) {
  const at = ref(0)
  const playing = ref(false)
  const rate = ref(1)
  /** Plays the cut round and round. */
  const loop = ref(true)
  const reason = ref<string | null>(null)
  const index = ref(0)
  const part = computed(() => reel.value.parts[index.value])
  let frame = 0
  let back: ReturnType<typeof setInterval> | undefined
  let isPlayWanted = false

  const start = (): void => {
    isPlayWanted = true
    if (!video.value) return
    video.value.playbackRate = rate.value
    // A pause, or another file, meanwhile.
    video.value.play().catch(() => undefined)
  }
  const endBack = (): void => {
    clearInterval(back)
    back = undefined
  }
  const show = (): void => {
    const element = video.value
    if (!element || !part.value) return
    element.currentTime = Math.max(0, at.value - part.value.at + within) / 1000
  }
  const seek = (to: number): void => {
    at.value = Math.min(reel.value.length, Math.max(0, to))
    const next = partAt(reel.value, at.value)
    const other = next ? reel.value.parts.indexOf(next) : 0
    if (other === index.value) show()
    else index.value = other
  }
  const load = (): void => {
    const element = video.value
    const path = paths.value?.[index.value]
    if (!element || path === undefined) return
    reason.value = null
    element.src = path
  }
  const pause = (): void => {
    isPlayWanted = false
    endBack()
    video.value?.pause()
  }
  const play = (): void => {
    endBack()
    const { from, to } = cut.value
    if (loop.value && (at.value < from || at.value >= to - within)) seek(from)
    else if (at.value >= reel.value.length - within) seek(0)
    start()
  }
  const follow = (): void => {
    cancelAnimationFrame(frame)
    const element = video.value
    if (!element || !part.value || element.paused) return
    const before = at.value
    at.value = Math.min(part.value.at + part.value.length, part.value.at + element.currentTime * 1000)
    if (loop.value && before < cut.value.to && at.value >= cut.value.to) seek(cut.value.from)
    frame = requestAnimationFrame(follow)
  }
  const listeners: Readonly<Record<string, () => void>> = {
    loadedmetadata: () => {
      show()
      if (isPlayWanted) start()
    },
    play: () => {
      playing.value = true
      follow()
    },
    pause: () => {
      playing.value = false
      cancelAnimationFrame(frame)
    },
    ended: () => {
      if (!isPlayWanted) return
      const next = reel.value.parts[index.value + 1]
      if (loop.value && cut.value.to >= reel.value.length - within && !next) {
        seek(cut.value.from)
        start()
      } else if (next) {
        seek(next.at)
        start()
      } else isPlayWanted = false
    },
    error: () => {
      if (video.value?.error) reason.value = video.value.error.message || 'the picture cannot be played'
    },
  }
  watch(
    video,
    (now, before) => {
      for (const [name, listener] of Object.entries(listeners)) {
        before?.removeEventListener(name, listener)
        now?.addEventListener(name, listener)
      }
    },
    { immediate: true },
  )
  watch([video, () => paths.value?.[index.value]], load, { flush: 'post', immediate: true })
  watch(rate, (now) => {
    if (video.value) video.value.playbackRate = now
  })
  onScopeDispose(() => {
    cancelAnimationFrame(frame)
    endBack()
    const element = video.value
    if (!element) return
    for (const [name, listener] of Object.entries(listeners)) element.removeEventListener(name, listener)
    element.removeAttribute('src')
    element.load()
  })
  return {
    at,
    part,
    playing,
    rate,
    loop,
    reason,
    seek,
    play,
    pause,
    toggle: (): void => (playing.value ? pause() : play()),
    /** Forwards; each further press twice as fast, up to 4. */
    forward: (): void => {
      if (playing.value) rate.value = Math.min(4, rate.value * 2)
      else rate.value = 1
      if (!playing.value) play()
    },
    /** Backwards, as pictures. */
    backward: (): void => {
      pause()
      back = setInterval(() => {
        seek(at.value - backEvery)
        if (at.value === 0) endBack()
      }, backEvery)
    },
  }
}
