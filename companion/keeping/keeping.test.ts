import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { local } from '../../contract/operations/index.ts'
import type { Operation } from '../../contract/operation.ts'
import type { KeptAside } from '../../contract/rpc/index.ts'
import { openQuarantine } from '../../platform/quarantine.ts'
import type { Client } from '../client/client.ts'
import { Failure } from '../failure.ts'
import { createKeeping } from './keeping.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'sidestage-keeping-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const now = () => Date.parse('2026-11-12T10:00:00Z')
/** Quarantines a new file of the app's folder. */
const setAside = (name: string): string => {
  writeFileSync(join(home, name), name)
  return openQuarantine({ folder: home, now }).setAside([name], 'damaged', 'for a test')!.id
}
/** A service with its entries, none of which it forgets. */
const serviceOf = (...ids: readonly string[]) => {
  const called: (readonly [Operation, unknown])[] = []
  const list = ids.map((id) => ({
    id,
    at: 1,
    reason: 'damaged',
    detail: '',
    paths: ['main.db'],
    count: 1,
    bytes: 5,
    seen: false,
    until: 2,
  }))
  const call = (operation: Operation, args: unknown): Promise<unknown> => {
    called.push([operation, args])
    const ret = operation === local.quarantine ? { list, count: list.length, bytes: 5 * list.length } : undefined
    return Promise.resolve({ ret: ret ?? { restored: 1, taken: [] } })
  }
  return { called, client: { call } as unknown as Client }
}
const open = (service?: Client, at = now) => {
  const told: KeptAside[] = []
  const log: string[] = []
  const keeping = createKeeping({
    home,
    now: at,
    client: () => service && Promise.resolve(service),
    changed: (kept) => told.push(kept),
    log: (line) => log.push(line),
  })
  return { keeping, told, log, toldIds: () => told.map(({ entries }) => entries.map(({ id }) => id)) }
}

it('pages are told that an entry of the app was restored', async () => {
  const [one, other] = [setAside('one.json'), setAside('other.json')]
  const { keeping, toldIds } = open()
  expect(await keeping.restore({ where: 'app', id: one })).toEqual({ restored: 1, taken: [] })
  expect(toldIds()).toEqual([[other]])
  expect(readFileSync(join(home, 'one.json'), 'utf8')).toBe('one.json')
})

it('pages are told of an entry that stays because the place of its file is taken', async () => {
  const id = setAside('one.json')
  writeFileSync(join(home, 'one.json'), 'new')
  const { keeping, toldIds } = open()
  expect(await keeping.restore({ where: 'app', id })).toEqual({ restored: 0, taken: ['one.json'] })
  expect(toldIds()).toEqual([[id]])
})

it('pages are told that an entry of the app was deleted', async () => {
  const [one, other] = [setAside('one.json'), setAside('other.json')]
  const { keeping, toldIds } = open()
  await keeping.remove({ where: 'app', id: one })
  expect(toldIds()).toEqual([[other]])
  expect(existsSync(join(home, 'one.json'))).toBe(false)
})

it.each([
  ['restored', 'restore', local.restoreQuarantined],
  ['deleted', 'remove', local.removeQuarantined],
] as const)('pages are told that an entry of the service was %s', async (_case, method, operation) => {
  const { called, client } = serviceOf('a', 'b')
  const { keeping, toldIds } = open(client)
  await keeping[method]({ where: 'service', id: 'a' })
  expect(called).toEqual([
    [operation, { id: 'a' }],
    [local.quarantine, {}],
  ])
  expect(toldIds()).toEqual([['a', 'b']])
})

it('pages are told that everything was seen, and the service notes its entries', async () => {
  setAside('one.json')
  const { called, client } = serviceOf('a', 'b')
  const { keeping, told } = open(client)
  await keeping.seen()
  expect(called).toContainEqual([local.seeQuarantined, { idList: ['a', 'b'] }])
  const [last] = told
  expect(told).toHaveLength(1)
  expect(last!.entries.filter(({ where }) => where === 'app').map(({ seen }) => seen)).toEqual([true])
})

it('an entry that is not there is neither restored nor deleted, and nothing is told', async () => {
  const { keeping, told } = open()
  for (const gone of [
    keeping.restore({ where: 'app', id: '2026-11-12/0' }),
    keeping.remove({ where: 'app', id: '2026-11-12/0' }),
  ])
    await expect(gone).rejects.toThrow(new Failure('absent', 'there is no such entry'))
  expect(told).toEqual([])
})

it('an entry of a service that does not run is neither restored nor deleted, and nothing is told', async () => {
  const { keeping, told } = open()
  for (const failing of [keeping.restore({ where: 'service', id: 'a' }), keeping.remove({ where: 'service', id: 'a' })])
    await expect(failing).rejects.toThrow(new Failure('down', 'the service of this computer does not run'))
  expect(told).toEqual([])
})

it('lists entries of app and service, newest first, and says whether the service is among them', async () => {
  const id = setAside('one.json')
  const { keeping } = open(serviceOf('a').client)
  const both = await keeping.list()
  expect(both.entries.map((entry) => [entry.where, entry.id])).toEqual([
    ['app', id],
    ['service', 'a'],
  ])
  expect(both).toMatchObject({ count: 2, bytes: 5 + 'one.json'.length, service: true })
  expect(await open().keeping.list()).toMatchObject({ count: 1, bytes: 'one.json'.length, service: false })
})

const day = 86_400_000

it('what lies in the quarantine for 30 days on which the app began is deleted, with a line in the log', () => {
  const id = setAside('one.json')
  for (let days = 1; days < 30; days++) expect(open(undefined, () => now() + days * day).log).toEqual([])
  const { log, keeping } = open(undefined, () => now() + 30 * day)
  expect(log).toEqual([`thrown away after its time in the quarantine: one.json (damaged, ${id})`])
  keeping.announce()
  expect(log).toHaveLength(1)
})

it('each entry that came is announced once in the log, and none that was seen', async () => {
  const id = setAside('one.json')
  const { keeping, log } = open()
  keeping.announce()
  keeping.announce()
  expect(log).toEqual([`set aside: one.json (damaged: for a test); it is kept for 30 days in quarantine/${id}`])
  await keeping.seen()
  setAside('two.json')
  const later = open()
  later.keeping.announce()
  expect(later.log.map((line) => line.slice(0, 19))).toEqual(['set aside: two.json'])
})

it('an entry is listed with 20 paths and 300 characters of why', async () => {
  const names = Array.from({ length: 25 }, (_, n) => `f${n}.json`)
  for (const name of names) writeFileSync(join(home, name), '')
  openQuarantine({ folder: home, now }).setAside(names, 'damaged', 'y'.repeat(400))
  const ids = Array.from({ length: 250 }, (_, n) => `s${n}`)
  const { entries, count } = await open(serviceOf(...ids).client).keeping.list()
  expect([entries.length, count]).toEqual([200, 251])
  expect(entries[0]!.paths).toHaveLength(20)
  expect(entries[0]!.detail.length).toBeLessThanOrEqual(300)
})

it('the service is not asked to note what it was told before', async () => {
  const { called, client } = serviceOf()
  const { keeping } = open(client)
  await keeping.seen()
  expect(called.map(([operation]) => operation)).not.toContain(local.seeQuarantined)
})

it('an entry is listed with 300 characters of why at most, and 20 places that are taken', async () => {
  const names = Array.from({ length: 25 }, (_, n) => `f${n}.json`)
  for (const name of names) writeFileSync(join(home, name), '')
  const { id } = openQuarantine({ folder: home, now }).setAside(names, 'damaged', 'y'.repeat(400))!
  const { keeping } = open()
  expect((await keeping.list()).entries[0]!.detail).toBe('y'.repeat(300))
  for (const name of names) writeFileSync(join(home, name), 'new')
  const { restored, taken } = await keeping.restore({ where: 'app', id })
  expect([restored, taken.length]).toEqual([0, 20])
})
