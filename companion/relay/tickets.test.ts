import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { createTickets, type Grant, isGranted, type TicketOwner, maxTickets } from './tickets.ts'

const grant: Grant = { profileId: 'p', cid: 'c'.repeat(32), flv: undefined, hls: undefined, allowed: new Set() }
const minute = 60_000

function begin() {
  const clock = manualClock()
  const tickets = createTickets({ clock, random: randomBytes })
  const page = (seat?: string): TicketOwner => ({
    closed: new AbortController().signal,
    seat: seat === undefined ? undefined : { id: seat },
  })
  return { clock, tickets, page }
}

it('ends of a seat only what is its own, however many it opens from however many pages', () => {
  const { tickets, page } = begin()
  const here = tickets.issue(grant, page())
  const other = tickets.issue(grant, page('mei'))
  const own = Array.from({ length: maxTickets.here * 3 }, () => tickets.issue(grant, page('rob')))
  expect(own.filter(({ ended }) => !ended.aborted)).toEqual(own.slice(-maxTickets.seat))
  expect([here.ended.aborted, other.ended.aborted]).toEqual([false, false])
})

it('ends of a holder the one unused for longest, and one with a transfer under way only where there is no other', () => {
  const { tickets, page } = begin()
  const own = Array.from({ length: maxTickets.seat }, () => tickets.issue(grant, page('mei')))
  const stops = own.slice(0, -1).map((each) => tickets.transfer(each)!)
  const late = tickets.issue(grant, page('mei'))
  expect(own.map(({ ended }) => ended.aborted)).toEqual([...stops.map(() => false), true])
  for (const stop of stops) stop()
  for (const each of [late, own[0]!]) expect(tickets.use(each.id)).toBe(each)
  tickets.issue(grant, page('mei'))
  expect(own.map(({ ended }) => ended.aborted)).toEqual([false, true, ...stops.slice(2).map(() => false), true])
})

it('keeps a ticket whose one transfer runs for longer than an unused one lasts', () => {
  const { clock, tickets, page } = begin()
  const watched = tickets.issue(grant, page())
  const stop = tickets.transfer(watched)!
  clock.advance(60 * minute)
  tickets.issue(grant, page())
  expect(watched.ended.aborted).toBe(false)
  stop()
  clock.advance(9 * minute)
  expect(tickets.use(watched.id)).toBe(watched)
  clock.advance(11 * minute)
  expect(tickets.use(watched.id)).toBeUndefined()
  expect(watched.ended.aborted).toBe(true)
})

it('ends a ticket by the time that passed, however the clock of the computer is set', () => {
  const { clock, tickets, page } = begin()
  const day = 24 * 60 * minute
  const [used, unused] = [tickets.issue(grant, page()), tickets.issue(grant, page())]
  clock.advance(9 * minute)
  clock.set(day)
  expect(tickets.use(used.id)).toBe(used)
  clock.advance(2 * minute)
  clock.set(-2 * day)
  expect(tickets.use(unused.id)).toBeUndefined()
})

it('counts the transfers of a seat over all its tickets, and gives each place back once', () => {
  const { tickets, page } = begin()
  const [one, two] = [tickets.issue(grant, page('mei')), tickets.issue(grant, page('mei'))]
  const stops: (() => void)[] = []
  for (let stop = tickets.transfer(one); stop; stop = tickets.transfer(two)) stops.push(stop)
  expect(stops.length).toBe(16)
  expect(tickets.transfer(tickets.issue(grant, page()))).toBeDefined()
  stops[0]!()
  stops[0]!()
  expect(tickets.transfer(one)).toBeDefined()
  expect(tickets.transfer(two)).toBeUndefined()
})

it('grants the origins that the service named, by http and https, and no address with a user name or a password', () => {
  const named: Grant = {
    ...grant,
    flv: new URL('http://media.example:8711/live/a.flv'),
    hls: new URL('https://cdn.example/a.m3u8'),
  }
  const granted = (url: string): boolean => isGranted(named, new URL(url))
  expect(['http://media.example:8711/other.flv', 'https://cdn.example/x/1.ts'].map(granted)).toEqual([true, true])
  for (const url of [
    'http://user@media.example:8711/live/a.flv',
    'https://:secret@cdn.example/a.m3u8',
    'https://media.example:8711/live/a.flv',
    'http://media.example/live/a.flv',
    'https://cdn.example.evil.example/a.m3u8',
    'ftp://media.example:8711/a.flv',
  ])
    expect(granted(url), url).toBe(false)
})

it('gives a path for each address of a playlist, which only its own ticket takes back', () => {
  const { tickets, page } = begin()
  const [one, other] = [tickets.issue(grant, page()), tickets.issue(grant, page())]
  const url = new URL('http://media.example:8711/live/seg-1.m4s?t=1')
  const path = one.pathOf(url)
  const [, root, id, mac = '', encoded = '', name] = path.split('/')
  expect([root, id, name, mac.length]).toEqual(['media', one.id, 'seg-1.m4s', 22])
  expect(one.urlOf(mac, encoded)?.href).toBe(url.href)
  expect(other.urlOf(mac, encoded)).toBeUndefined()
  expect(one.urlOf(mac.slice(1), encoded)).toBeUndefined()
  expect(one.urlOf(mac, `${encoded}A`)).toBeUndefined()
  expect(one.pathOf(new URL('http://media.example/live/'))).toMatch(/\/media$/)
  expect(
    one
      .pathOf(new URL(`http://media.example/${'a'.repeat(90)}.ts`))
      .split('/')
      .at(-1),
  ).toHaveLength(64)
  // One that is too long is not looked at.
  const long = one.pathOf(new URL(`http://media.example/${'a'.repeat(4_000)}.ts`)).split('/')
  expect(one.urlOf(long[3]!, long[4]!)).toBeUndefined()
})

it('ends a ticket whose page is gone already, and all at the end', () => {
  const { tickets, page } = begin()
  const gone = new AbortController()
  gone.abort()
  const late = tickets.issue(grant, { closed: gone.signal, seat: undefined })
  expect([late.ended.aborted, tickets.use(late.id)]).toEqual([true, undefined])
  const [one, two] = [tickets.issue(grant, page()), tickets.issue(grant, page('mei'))]
  tickets.close()
  expect([one.ended.aborted, two.ended.aborted, tickets.transfer(one)]).toEqual([true, true, undefined])
})

it('ends what is idle when a further one is made, and not what was used since', () => {
  const { clock, tickets, page } = begin()
  const [idle, used] = [tickets.issue(grant, page()), tickets.issue(grant, page())]
  clock.advance(6 * minute)
  tickets.use(used.id)
  clock.advance(4 * minute)
  tickets.issue(grant, page())
  expect(idle.ended.aborted).toBe(false)
  clock.advance(1)
  tickets.issue(grant, page('mei'))
  expect([idle.ended.aborted, used.ended.aborted]).toEqual([true, false])
})

it('gives the person here 64 tickets and 256 transfers', () => {
  const { tickets, page } = begin()
  const own = Array.from({ length: 65 }, () => tickets.issue(grant, page()))
  expect(own.filter(({ ended }) => ended.aborted)).toEqual([own[0]])
  let transfers = 0
  while (tickets.transfer(own[1]!)) transfers++
  expect(transfers).toBe(256)
})

it('gives a moderator eight tickets', () => {
  const { tickets, page } = begin()
  const own = Array.from({ length: 9 }, () => tickets.issue(grant, page('mei')))
  expect(own.map(({ ended }) => ended.aborted)).toEqual([true, ...Array<boolean>(8).fill(false)])
})

it('keeps a ticket that is not used for ten minutes, and no longer', () => {
  const { clock, tickets, page } = begin()
  const [used, unused] = [tickets.issue(grant, page()), tickets.issue(grant, page())]
  clock.advance(10 * minute)
  expect(tickets.use(used.id)).toBe(used)
  clock.advance(1)
  expect([tickets.use(unused.id), unused.ended.aborted]).toEqual([undefined, true])
  clock.advance(10 * minute - 1)
  expect(tickets.use(used.id)).toBe(used)
})

it('gives no transfer to a ticket that has ended', () => {
  const { tickets, page } = begin()
  const ticket = tickets.issue(grant, page())
  tickets.close()
  expect(tickets.transfer(ticket)).toBeUndefined()
})
