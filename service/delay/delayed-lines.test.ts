import { expect, test } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { createHub } from '../hub/hub.ts'
import { audioConfiguration, videoConfiguration, videoFrame } from '../hub/testing/packets.ts'
import { createDelayedLines } from './delayed-lines.ts'

const cid = 'a'.repeat(32)
const nowhere = () => Promise.reject(new Error('no disk'))

async function made(delay: number) {
  const clock = manualClock()
  const hub = createHub({ clock })
  const log = { warn: () => undefined, error: () => undefined }
  const files = { write: nowhere, read: nowhere, remove: nowhere }
  const lines = await createDelayedLines({
    hub,
    clock,
    log,
    dataDir: '',
    delayOf: () => delay,
    changed: () => undefined,
    files,
  })
  const told: string[] = []
  lines.on(({ type }) => void told.push(type))
  const publication = hub.publish(cid, { remote: '127.0.0.1' })
  if (publication === 'busy') throw new Error('busy')
  publication.packet(videoConfiguration)
  publication.packet(audioConfiguration)
  for (let time = 0; time < 2000; time += 40) {
    publication.packet(videoFrame(time, time % 1000 === 0, clock.now()))
    clock.advance(40)
  }
  return { clock, hub, lines, told, publication }
}

test('the end of a push is told when its rest was sent, and it can be joined until then', async () => {
  const { clock, hub, lines, told, publication } = await made(5000)
  publication.end('closed')
  expect(hub.stream(cid)).toBeUndefined()
  expect(lines.stream(cid)).toBeDefined()
  expect(lines.restOf(cid)).toBeGreaterThan(0)
  expect(told).not.toContain('ended')
  expect(lines.endOf(cid)).toBeUndefined()
  const over: string[] = []
  lines.join(cid, { packet: () => undefined, ended: (reason) => void over.push(reason) }, 'flv')
  expect(hub.viewers(cid)).toBe(1)
  clock.advance(5100)
  expect(over).toEqual(['closed'])
  expect(told).toContain('ended')
  const end = lines.endOf(cid)!
  expect(end).toBeGreaterThan(clock.now() - 1000)
  clock.advance(end + 12 * 3_600_000 - 1 - clock.now())
  expect(lines.endOf(cid)).toBe(end)
  clock.advance(1)
  expect(lines.endOf(cid)).toBeUndefined()
  expect(lines.stream(cid)).toBeUndefined()
  await lines.close()
  hub.close()
})

test('without a delay the end is told at once, and a channel that is cut sends nothing more', async () => {
  const { hub, lines, told, publication } = await made(0)
  publication.end('lost')
  expect(told).toContain('ended')
  const cut = await made(5000)
  cut.publication.end('closed')
  cut.lines.cut(cid)
  expect(cut.told).toContain('ended')
  expect(cut.lines.stream(cid)).toBeUndefined()
  for (const each of [lines, cut.lines]) await each.close()
  hub.close()
  cut.hub.close()
})
