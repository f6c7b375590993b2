import { expect, test } from 'vitest'
import { createHub } from './hub.ts'
import { videoConfiguration, videoFrame } from './testing/packets.ts'

const cid = '0123456789abcdef0123456789abcdef'

test('a publisher whose packets waited while this process slept is not taken for silent; one that stays silent is', async () => {
  const hub = createHub({ clock: Date.now, silenceLimit: 1_000, silenceCheck: 20 })
  try {
    const publication = hub.publish(cid, { remote: 'test' })
    if (publication === 'busy') throw new Error('busy')
    const cut = new Promise<number>((resolve) => {
      publication.onCut = () => resolve(performance.now())
    })
    publication.packet({ ...videoConfiguration, arrived: Date.now() })
    // From a timer's call: what is due by then is called before anything that came is read.
    const heard = await new Promise<number>((resolve) => {
      setTimeout(() => {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500)
        setImmediate(() => {
          publication.packet(videoFrame(40, true, Date.now()))
          resolve(performance.now())
        })
      }, 1)
    })
    expect((await cut) - heard).toBeGreaterThan(990)
  } finally {
    hub.close()
  }
})
