import { inBackground } from '../background.ts'
import type { SoundBlock } from './loudness.ts'
import { default as processor } from './sound-processor.ts?worker&url'

/**
 * What a tap has: `none` is a picture without sound, `asleep` waits for a gesture, without which the browser runs no
 * audio, and `unmeasured` is a browser that gives the sound of an element to nobody.
 */
export type TapState = 'waiting' | 'measured' | 'none' | 'asleep' | 'unmeasured'

/** Called on changes of a tap. */
export interface TapEvents {
  state(state: TapState): void
  /** 20 times a second of media. */
  block(block: SoundBlock): void
  /** What follows is another sound than before. */
  fresh(): void
}

/** Measures the sound of one element. */
export interface SoundTap {
  /** The element plays, perhaps another source: begins where nothing is measured yet. */
  playing(): void
  close(): void
}

/** In Chromium's browsers; others do not have it under this name, or not at all. */
type Captured = HTMLVideoElement & { captureStream?(): MediaStream }
/** Without a device: nothing of it can be heard, and it runs on a computer that has none. */
const options = { sampleRate: 48_000, latencyHint: 'playback', sinkId: { type: 'none' } } as AudioContextOptions

/**
 * Taps the sound of an element as it was decoded, before its volume: a muted one is measured alike, and what is heard
 * stays as it was. The tracks of the element change with its source, at which the nodes of the one before end.
 */
export function tapSound(tapped: HTMLVideoElement, events: TapEvents): SoundTap {
  let video: Captured | undefined = tapped
  let stream: MediaStream | undefined
  let context: AudioContext | undefined
  let track: MediaStreamTrack | undefined
  let takeDown: (() => void) | undefined
  /** Of the last node that was taken down: its processor has ended. */
  let over: Promise<void> | undefined
  let isClosed = false
  let isLoading = false

  /** Refused once the context is closed; and until a gesture there is no answer. */
  const turn = (way: 'resume' | 'suspend'): void => {
    context?.[way]().catch(() => undefined)
  }
  const wake = (): void => {
    if (context?.state === 'suspended' && !document.hidden) turn('resume')
  }
  const told = (): void => {
    if (isClosed) return
    if (!takeDown) return events.state(stream?.getTracks().length && !track ? 'none' : 'waiting')
    events.state(context?.state === 'suspended' && !document.hidden ? 'asleep' : 'measured')
  }
  /** Nobody sees the meter of a hidden page. */
  const seen = (): void => {
    if (document.hidden) turn('suspend')
    else wake()
  }
  const follow = (): void => {
    // The copy of each picture costs the work of a second player.
    for (const picture of stream?.getVideoTracks() ?? []) picture.stop()
    const next = stream?.getAudioTracks().find(({ readyState }) => readyState === 'live')
    if (next === track && (takeDown || !next)) return told()
    takeDown?.()
    takeDown = undefined
    track = next
    if (context && track) {
      const source = context.createMediaStreamSource(new MediaStream([track]))
      const meter = new AudioWorkletNode(context, 'sound-meter', { numberOfOutputs: 0, channelCountMode: 'max' })
      events.fresh()
      meter.port.onmessage = ({ data }: MessageEvent<SoundBlock | null>) => data && events.block(data)
      source.connect(meter)
      takeDown = () => {
        source.disconnect()
        over = new Promise((resolve) => {
          meter.port.onmessage = ({ data }: MessageEvent<SoundBlock | null>) => {
            if (data) return
            meter.port.close()
            resolve()
          }
        })
        meter.port.postMessage('end')
      }
    }
    told()
  }
  /** The browser leaves the tracks of an earlier source in the stream, alive and without sound. */
  const empty = (): void => {
    for (const each of stream?.getTracks() ?? []) {
      each.stop()
      stream?.removeTrack(each)
    }
    follow()
  }
  const begin = async (): Promise<void> => {
    if (isLoading || !video?.captureStream) return
    isLoading = true
    const made = new AudioContext(options)
    try {
      await made.audioWorklet.addModule(processor)
    } catch {
      // The page is left, or its companion away: tried again with the next picture.
      isLoading = false
      return made.close()
    }
    if (isClosed || !video?.captureStream) return made.close()
    context = made
    context.addEventListener('statechange', told)
    seen()
    stream = video.captureStream()
    stream.addEventListener('addtrack', follow)
    follow()
  }
  /** The browser keeps nodes, with their context, whose processor had not ended when the context was closed. */
  const closeContext = async (closed: AudioContext): Promise<void> => {
    closed.removeEventListener('statechange', told)
    if (closed.state === 'running') await over
    await closed.close()
  }
  tapped.addEventListener('emptied', empty)
  document.addEventListener('visibilitychange', seen)
  for (const gesture of ['pointerdown', 'keydown']) document.addEventListener(gesture, wake)

  return {
    playing: () => {
      if (!video?.captureStream) return events.state('unmeasured')
      if (stream) follow()
      else inBackground(begin())
    },
    close: () => {
      isClosed = true
      video?.removeEventListener('emptied', empty)
      document.removeEventListener('visibilitychange', seen)
      for (const gesture of ['pointerdown', 'keydown']) document.removeEventListener(gesture, wake)
      stream?.removeEventListener('addtrack', follow)
      empty()
      if (context) inBackground(closeContext(context))
      // Chromium keeps the first node of an element with a second source, and with it what is known here.
      video = stream = track = context = undefined
    },
  }
}
