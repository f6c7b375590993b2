import { describe, expect, it } from 'vitest'
import { live } from '../../contract/operations/index.ts'
import type { Client } from '../client/client.ts'
import { Failure } from '../failure.ts'
import { failureOf } from '../testing/rig.ts'
import { disableChannels, removeChannels, resumeChannels } from './batch.ts'

const refused = (code: number): Failure => new Failure('code', 'refused', { code })

/** A client that notes calls; `codes` has the result of single channels, and an Error for those without an answer. */
function serving(codes: Record<string, Failure | Error> = {}, done: readonly string[] = []) {
  const calls: [string, unknown][] = []
  let running = 0
  let most = 0
  const call = async ({ path }: { readonly path: string }, args: { readonly cid?: string }) => {
    calls.push([path, args])
    most = Math.max(most, ++running)
    await new Promise(setImmediate)
    running--
    const fault = args.cid === undefined ? undefined : codes[args.cid]
    if (fault) throw fault
    return { ret: { successList: done } }
  }
  return { calls, most: () => most, client: { call } as unknown as Client }
}

describe.each([
  ['disabled', disableChannels, live.pauseMany.path, live.pause.path],
  ['enabled', resumeChannels, live.resumeMany.path, live.resume.path],
])('channels that are %s', (_what, change, many, single) => {
  it('are named in one call, and those that failed singly, for their codes', async () => {
    const { client, calls } = serving({ b: refused(615) }, ['a'])
    expect(await change(client, ['a', 'b', 'c'])).toEqual({
      results: [
        { cid: 'a', ok: true, code: 200 },
        { cid: 'b', ok: false, code: 615 },
        { cid: 'c', ok: true, code: 200 },
      ],
    })
    expect(calls).toEqual([
      [many, { cidList: ['a', 'b', 'c'] }],
      [single, { cid: 'b' }],
      [single, { cid: 'c' }],
    ])
  })

  it('need one call where there is one', async () => {
    const { client, calls } = serving()
    await change(client, ['a'])
    expect(calls).toEqual([[single, { cid: 'a' }]])
  })
})

describe('channels that are deleted', () => {
  it('are deleted once each, six at a time, with a result for each in the given order', async () => {
    const cids = Array.from({ length: 20 }, (_, n) => `c${n}`)
    const { client, calls, most } = serving({ c3: refused(615) })
    const { results } = await removeChannels(client, [...cids, 'c0'])
    expect(results.map(({ cid }) => cid)).toEqual(cids)
    expect(results.filter(({ ok }) => !ok)).toEqual([{ cid: 'c3', ok: false, code: 615 }])
    expect(calls).toHaveLength(20)
    expect(new Set(calls.map(([path]) => path))).toEqual(new Set([live.remove.path]))
    expect(most()).toBe(6)
  })

  it('keep their results where the service went away part of the way, and the rest has none', async () => {
    const cids = Array.from({ length: 20 }, (_, n) => `c${n}`)
    const { client, calls } = serving({ c5: new Failure('down', 'away') })
    const { results } = await removeChannels(client, cids)
    expect(results[0]).toEqual({ cid: 'c0', ok: true, code: 200 })
    expect(results[5]).toEqual({ cid: 'c5', ok: false, code: null })
    expect(results[19]).toEqual({ cid: 'c19', ok: false, code: null })
    expect(calls.length).toBeLessThan(20)
  })

  it('fail as a whole where none had an answer', async () => {
    const { client } = serving({ a: new Failure('down', 'away') })
    expect(await failureOf(removeChannels(client, ['a']))).toMatchObject({ kind: 'down' })
  })
})
