import { systemClock } from '../../platform/clock.ts'
import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { createPlaybackTickets } from './playback.ts'

const hour = 3_600_000
const ticketOf = (path: string): string => path.split('/')[2]!

it('a ticket of this process lasts for the time that passes, however the clock of the computer is set', () => {
  let [passed, set] = [0, 1_700_000_000_000]
  const tickets = createPlaybackTickets({
    clock: { ...systemClock, now: () => set + passed, monotonic: () => passed },
    key: randomBytes(32),
    expireBy: 'monotonic',
  })
  const { path, expires } = tickets.path({ vid: 7, format: 0 })
  expect(expires).toBe(set + hour / 6)
  passed = hour / 6 - 1
  for (const off of [hour, -2 * hour]) {
    set += off
    expect(tickets.vid(ticketOf(path))).toBe(7)
  }
  passed += 1
  expect(tickets.vid(ticketOf(path))).toBeUndefined()
})

it('a ticket of a stored key is good for another process with the same key, until its time', () => {
  const key = randomBytes(32)
  let now = 1_700_000_000_000
  const make = () => createPlaybackTickets({ clock: { ...systemClock, now: () => now }, key, expireBy: 'now' })
  const { path } = make().path({ vid: 7, format: 1 }, hour)
  now += hour - 1
  expect(make().vid(ticketOf(path))).toBe(7)
  now += 1
  expect(make().vid(ticketOf(path))).toBeUndefined()
})

it('a ticket names its file and the time of its end, and is good for nothing that was changed in it', () => {
  const key = randomBytes(32)
  const now = 1_700_000_000_000
  const make = (of = key) =>
    createPlaybackTickets({ clock: { ...systemClock, now: () => now }, key: of, expireBy: 'now' })
  const { path, expires } = make().path({ vid: 7, format: 1 }, hour)
  expect(path).toMatch(new RegExp(`^/recordings/7\\.${now + hour}\\.[A-Za-z0-9_-]{43}/7\\.flv$`))
  expect(expires).toBe(now + hour)
  expect(make().path({ vid: 7, format: 0 }).path).toMatch(/\/7\.mp4$/)
  const ticket = ticketOf(path)
  expect(make().vid(ticket)).toBe(7)
  const [, end, mac] = ticket.split('.') as [string, string, string]
  for (const wrong of [
    `8.${end}.${mac}`,
    `7.${Number(end) + 1}.${mac}`,
    `7.${end}.${mac.startsWith('A') ? 'B' : 'A'}${mac.slice(1)}`,
    `7.${end}.${mac.slice(1)}`,
    `7.${end}.${mac}A`,
    `07.${end}.${mac}`,
    `7.${end}`,
    '',
  ])
    expect(make().vid(wrong), wrong).toBeUndefined()
  expect(make(randomBytes(32)).vid(ticket)).toBeUndefined()
})
