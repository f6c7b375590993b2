import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { eventually } from '../testing/eventually.ts'
import { createWaitingPages } from './waiting-pages.ts'

const cid = 'a'.repeat(32)
const other = 'b'.repeat(32)
const address = '192.0.2.1'
function rig(most = 1_000) {
  const clock = manualClock()
  const pages = createWaitingPages(clock, most)
  const answered: string[] = []
  const ask = (name: string, of = cid, from = address): EventEmitter => {
    const answer = new EventEmitter()
    pages.wait(of, from, answer).then(() => answered.push(name), expect.unreachable)
    return answer
  }
  return { clock, pages, answered, ask }
}

it('answers pages of a channel whose show begins, and leaves those of others waiting', async () => {
  const { clock, pages, answered, ask } = rig()
  ask('one')
  ask('two')
  ask('elsewhere', other)
  pages.began(cid)
  await eventually(() => expect(answered).toEqual(['one', 'two']))
  expect([pages.count(), clock.waiting()]).toEqual([1, 1])
})

it('answers after 4 s at the latest, and at once those who are too many, of an address or in all', async () => {
  const { clock, pages, answered, ask } = rig(70)
  for (let page = 0; page < 64; page++) ask('late')
  ask('one more of the address')
  for (let page = 0; page < 6; page++) ask('late', other, `192.0.2.${page + 2}`)
  ask('one more of all', cid, '192.0.2.200')
  const atOnce = ['one more of the address', 'one more of all']
  await eventually(() => expect(answered).toEqual(atOnce))
  clock.advance(3_999)
  expect(pages.count()).toBe(70)
  clock.advance(1)
  await eventually(() => expect(answered.slice(2)).toEqual(Array(70).fill('late')))
  expect([pages.count(), clock.waiting()]).toEqual([0, 0])
  ask('again')
  expect(pages.count()).toBe(1)
})

it('forgets a page that has gone, and answers all when the listener closes', async () => {
  const { clock, pages, answered, ask } = rig()
  ask('gone').emit('close')
  expect([pages.count(), clock.waiting()]).toEqual([0, 0])
  ask('here')
  ask('there', other)
  pages.close()
  await eventually(() => expect(answered).toEqual(['gone', 'here', 'there']))
  expect([pages.count(), clock.waiting()]).toEqual([0, 0])
})

it('answers many in several turns', async () => {
  const { pages, answered, ask } = rig()
  for (let page = 0; page < 100; page++) ask(String(page), cid, `192.0.2.${page}`)
  pages.began(cid)
  expect(pages.count()).toBeGreaterThan(50)
  await eventually(() => expect(answered).toHaveLength(100))
})
