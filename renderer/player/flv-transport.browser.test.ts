import { expect, it, onTestFinished, vi } from 'vitest'
import { startFlv } from './flv-transport.ts'

/** A playback of a stream whose answer the test holds. */
async function play(answer: () => Promise<Response>) {
  const asked: string[] = []
  const { fetch } = globalThis
  vi.stubGlobal('fetch', (input: RequestInfo | URL) => {
    asked.push(input instanceof Request ? input.url : String(input))
    return answer()
  })
  onTestFinished(() => {
    vi.stubGlobal('fetch', fetch)
  })
  const video = document.createElement('video')
  const told: unknown[] = []
  const transport = await startFlv(video, `${location.origin}/live/1.flv`, {
    playing: () => told.push('playing'),
    ended: (reason, status) => told.push([reason, status]),
    isSilent: () => false,
  })
  onTestFinished(() => transport.destroy())
  return { asked, video, told, transport }
}
const never = (): Promise<Response> => new Promise(() => undefined)

it('asks for the stream, and knows no figures before it plays', async () => {
  const { asked, transport } = await play(never)
  await expect.poll(() => asked).toEqual([`${location.origin}/live/1.flv`])
  expect(transport.figures()).toMatchObject({ delay: null, kbps: null, fps: null, decoded: 0, dropped: 0 })
})

it('ends with the status of a refused stream', async () => {
  const { told } = await play(() => Promise.resolve(new Response('', { status: 404 })))
  await expect.poll(() => told).toEqual([[expect.stringContaining('NetworkError'), 404]])
})

it('ends without a status where the network failed', async () => {
  const { told } = await play(() => Promise.reject(new TypeError('no network')))
  await expect.poll(() => told).toEqual([[expect.stringContaining('NetworkError'), null]])
})

it('tells when it plays, until it is destroyed', async () => {
  const { video, told, transport } = await play(never)
  video.dispatchEvent(new Event('playing'))
  expect(told).toEqual(['playing'])
  transport.destroy()
  transport.destroy()
  video.dispatchEvent(new Event('playing'))
  expect(told).toEqual(['playing'])
})

it('tells nothing of a stream that is refused after it was destroyed', async () => {
  const gate = Promise.withResolvers<Response>()
  const { asked, told, transport } = await play(() => gate.promise)
  await expect.poll(() => asked).toHaveLength(1)
  transport.destroy()
  gate.resolve(new Response('', { status: 404 }))
  await gate.promise
  await Promise.resolve()
  expect(told).toEqual([])
})
