import { expect, it } from 'vitest'
import { ref } from 'vue'
import type { DeletedChannel } from '../../../contract/rpc/index.ts'
import type { Channel } from '../../../contract/rpc/state.ts'
import { spoken } from '../../format/languages.ts'
import { began, channel, mounted, tally, type MountOptions } from '../../testing/mounted.ts'
import { useRecordedLanes } from './recorded-lanes.ts'
import { recordingsWords } from './words.ts'

const { files: words } = spoken(recordingsWords, 'en')
const idOf = (number: number): string => String(number).padStart(32, 'c')
const many = (count: number): Channel[] =>
  Array.from({ length: count }, (_, index) =>
    channel(1, { cid: idOf(index), name: `Channel ${index}`, created: began - index }),
  )
const gone = (number: number, name: string | null = `Gone ${number}`): DeletedChannel => ({
  cid: String(number).padStart(32, 'd'),
  name,
  deleted: began,
})
const show = async (channels: readonly Channel[], former: readonly DeletedChannel[], options: MountOptions = {}) => {
  const chosen = ref<string | null>(null)
  const list = ref(former)
  let lanes: ReturnType<typeof useRecordedLanes> | undefined
  const part = {
    setup: () => {
      lanes = useRecordedLanes(chosen, list as unknown as Parameters<typeof useRecordedLanes>[1])
      return () => null
    },
  }
  await mounted(part, { channels, ...options })
  return { ...lanes!, chosen, list }
}
const names = (lanes: readonly { readonly name: string }[]): string[] => lanes.map(({ name }) => name)

it('has a lane for each channel, what is on air first, and after them one for each deleted channel', async () => {
  const [one, other] = many(2) as [Channel, Channel]
  const { all, lanes, laneNames } = await show([one, other], [gone(1)], {
    tallies: [tally(one), tally({ ...other, status: 1 })],
  })
  const deleted = words.deletedChannel.replace('{name}', 'Gone 1')
  expect(names(all.value)).toEqual([other.name, one.name, deleted])
  expect(names(lanes.value)).toEqual([other.name, one.name, deleted])
  expect(laneNames.value?.get(gone(1).cid)).toBe(deleted)
})

it('has the begin of the id of a deleted channel whose name nobody knows', async () => {
  const { formerNames, list } = await show([], [gone(1, null)])
  const id = gone(1).cid
  expect(formerNames.value.get(id)).toBe(words.unnamedChannel.replace('{id}', id.slice(0, 8)))
  list.value = []
  expect(formerNames.value.size).toBe(0)
})

it('has the chosen channel alone, and no names beside its files', async () => {
  const [one, other] = many(2) as [Channel, Channel]
  const { lanes, laneNames, chosen } = await show([one, other], [gone(1)])
  expect(laneNames.value?.size).toBe(3)
  chosen.value = other.cid
  expect(names(lanes.value)).toEqual([other.name])
  expect(laneNames.value).toBeNull()
  chosen.value = gone(1).cid
  expect(lanes.value.map(({ cid }) => cid)).toEqual([gone(1).cid])
})

it('has all lanes where the chosen channel is not there any more', async () => {
  const { lanes, chosen } = await show(many(2), [])
  chosen.value = idOf(99)
  expect(lanes.value).toHaveLength(2)
})

it.each([
  ['200 channels', 200, 0, 200, 0],
  ['the first 200 of 201 channels', 201, 0, 200, 0],
  ['three deleted channels before the last of 250', 250, 3, 197, 3],
  ['as many channels as there are beside deleted ones', 20, 3, 20, 3],
  ['100 channels and 100 of 150 deleted ones', 250, 150, 100, 100],
  ['all of 150 deleted channels beside a few', 10, 150, 10, 150],
])('has lanes for %s', async (_case, count, former, there, deleted) => {
  const { lanes } = await show(
    many(count),
    Array.from({ length: former }, (_, index) => gone(index)),
  )
  const cids = lanes.value.map(({ cid }) => cid)
  expect([cids.filter((cid) => cid.startsWith('c')).length, cids.filter((cid) => cid.startsWith('d')).length]).toEqual([
    there,
    deleted,
  ])
})

it('has the first channel of a hosted service as its one lane where none is on air or was opened', async () => {
  const [one, other] = many(2) as [Channel, Channel]
  const hosted = { profile: 'hosted-1' } as const
  const first = await show([one, other], [], hosted)
  expect(names(first.lanes.value)).toEqual([one.name])
})

it('has the channel of a hosted service that is on air as its lane', async () => {
  const [one, other] = many(2) as [Channel, Channel]
  const { lanes } = await show([one, other], [], {
    profile: 'hosted-1',
    tallies: [tally(one), tally({ ...other, status: 1 })],
  })
  expect(names(lanes.value)).toEqual([other.name])
})

it('has the channel of a hosted service that was opened last as its lane', async () => {
  const [one, other] = many(2) as [Channel, Channel]
  const { lanes } = await show([one, other], [], {
    profile: 'hosted-1',
    memory: new Map([['sidestage.opened', other.cid]]),
  })
  expect(names(lanes.value)).toEqual([other.name])
})
