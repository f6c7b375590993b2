import { fetchedAgain } from '../fetched-again.ts'
import { leadSeeks } from './flv-seeks.ts'

/** `destroy` empties the video element. */
export type FilePlayer = { readonly destroy: () => void }

/** MP4 by the browser, FLV by flv.js. Calls `failed` at most once. */
export async function startFile(
  video: HTMLVideoElement,
  path: string,
  from: number,
  failed: (reason: string) => void,
): Promise<FilePlayer> {
  let done = false
  const fail = (reason: string): void => {
    if (done) return
    done = true
    failed(reason)
  }
  const seek = (): void => {
    if (from > 0) video.currentTime = Math.min(from, Math.max(0, video.duration - 0.5))
  }
  const error = (): void => fail(video.error?.message ?? 'the picture cannot be played')
  video.addEventListener('loadedmetadata', seek, { once: true })
  if (!path.endsWith('.flv')) {
    video.addEventListener('error', error)
    video.src = path
    video.play().catch(() => undefined)
    return {
      destroy: () => {
        done = true
        video.removeEventListener('loadedmetadata', seek)
        video.removeEventListener('error', error)
        video.removeAttribute('src')
        video.load()
      },
    }
  }
  const { default: flvjs } = await fetchedAgain(() => import('flv.js'))()
  flvjs.LoggingControl.enableAll = false
  const player = flvjs.createPlayer(
    { type: 'flv', url: path, isLive: false },
    { enableWorker: false, fixAudioTimestampGap: true, seekType: 'range', accurateSeek: true },
  )
  player.on(flvjs.Events.ERROR, (type: string, detail: string) => fail(`${type}: ${detail}`))
  const endSeeks = leadSeeks(video, player, flvjs.Events.LOADING_COMPLETE)
  player.attachMediaElement(video)
  player.load()
  video.play().catch(() => undefined)
  return {
    destroy: () => {
      done = true
      video.removeEventListener('loadedmetadata', seek)
      endSeeks()
      player.pause()
      player.unload()
      player.detachMediaElement()
      player.destroy()
    },
  }
}
