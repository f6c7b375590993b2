import { systemClock } from '../../platform/clock.ts'
import { expect, test, vi } from 'vitest'
import { createHub } from './hub.ts'
import { videoConfiguration, videoFrame } from './testing/packets.ts'

const cid = '0123456789abcdef0123456789abcdef'
const silenceCheck = 20

test('a publisher whose packets waited while this process slept is not taken for silent; one that stays silent is', async () => {
  const heard = Promise.withResolvers<number>()
  const cut = Promise.withResolvers<number>()
  let read = (): void => undefined
  // Same interval as the hub's timer and made before it: runs right before the hub's check; the data is read after
  // both.
  setTimeout(() => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500)
    setImmediate(() => {
      read()
      heard.resolve(performance.now())
    })
  }, silenceCheck)
  const hub = createHub({ clock: systemClock, silenceLimit: 1_000, stallAfter: 1_000, silenceCheck })
  const stalled = vi.fn()
  hub.on(({ type }) => {
    if (type === 'stalled') stalled()
  })
  try {
    const publication = hub.publish(cid, { remote: 'test' })
    if (publication === 'busy') throw new Error('busy')
    publication.onCut = () => {
      cut.resolve(performance.now())
    }
    publication.packet({ ...videoConfiguration, arrived: Date.now() })
    read = () => publication.packet(videoFrame(40, true, Date.now()))
    const [end, packet] = await Promise.all([cut.promise, heard.promise])
    expect(end - packet).toBeGreaterThan(990)
    expect(stalled).not.toHaveBeenCalled()
  } finally {
    hub.close()
  }
})
