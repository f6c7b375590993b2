import { MessageChannel } from 'node:worker_threads'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Rig, scratch, startRig } from '../companion/testing/rig.ts'
import { maxMessage } from '../companion/lines/connection.ts'
import { portLine, type PortLike } from '../companion/lines/lines.ts'
import {
  everyProcedure,
  hostileInputs,
  hugeTaken,
  letsExtraThrough,
  placesOf,
  sampleOf,
} from './testing/hostile-inputs.ts'

/** A page that was taken over, calling every procedure of the contract over the port that the desktop hands out, with the real companion and service behind it. */
type Callable = { readonly [name: string]: Callable } & ((input: unknown) => Promise<unknown>)
const folder = scratch()
const procedures = everyProcedure()
let rig: Rig
let page: { readonly call: (name: string, input: unknown) => Promise<unknown>; close(): void }
/** Less than a page may send at once: whoever sends more loses the connection, which is tried elsewhere. */
const pageSends = { calls: 500, characters: 4 * 1024 * 1024 }

beforeAll(async () => {
  rig = await startRig(folder.dir)
  await rig.companion.serviceReady(150_000)
  const ends: (() => void)[] = []
  const connect = () => {
    const { port1, port2 } = new MessageChannel()
    const line = rig.companion.rpc.attach(portLine(port1 as unknown as PortLike))
    const client = createORPCClient<Callable>(
      new RPCLink({ port: port2 as unknown as ConstructorParameters<typeof RPCLink>[0]['port'] }),
    )
    port2.start()
    ends.push(() => {
      line.end()
      port2.close()
    })
    return { client, calls: 0, characters: 0 }
  }
  let now = connect()
  page = {
    call: (name, input) => {
      if (now.calls >= pageSends.calls || now.characters >= pageSends.characters) now = connect()
      now.calls += 1
      now.characters += (JSON.stringify(input) ?? '').length
      return name.split('.').reduce((at, part) => at[part]!, now.client)(input)
    },
    close: () => {
      for (const end of ends) end()
    },
  }
})
afterAll(async () => {
  page.close()
  await rig.close()
  folder[Symbol.dispose]()
})

describe('the contract', () => {
  const places = procedures.flatMap(({ name, input }) =>
    input ? placesOf(input).map((place) => ({ name: `${name}: ${place.path.join('.')}`, place })) : [],
  )

  it('bounds every text and every list of every input', () => {
    expect(places.length).toBeGreaterThan(300)
    expect(places.flatMap(({ name, place }) => hugeTaken(place).map((what) => `${name} takes ${what}`))).toEqual([])
  })

  it('hands no member on to a procedure that the procedure does not name', () => {
    expect(places.filter(({ place }) => letsExtraThrough(place)).map(({ name }) => name)).toEqual([])
  })

  it('lets a page name a service by its profile and no call by an address of its own', () => {
    const addresses = places
      .filter(({ name }) => /url|host|address|origin/i.test(name.split(': ')[1] ?? ''))
      .map(({ name }) => name.split(':')[0])
    // Where a profile is made or moved (which needs its secret anew), where listeners and OBS are, where copies and callbacks go, whose room is joined, what a person opens, where a push goes on to, and whose pages may embed.
    const known =
      /^(profiles\.(check|add|update)|receivers\.(start|register)|copies\.(start|setTarget)|obs\.configure|joined\.join|app\.openLink|messaging\.media|targets\.(add|update)|access\.update)$/
    expect([...new Set(addresses)].filter((name) => !known.test(name ?? ''))).toEqual([])
  })

  it('names files by numbers and what a dialog chose, never by their place', () => {
    const named = places
      .filter(({ place }) => /^(file|path|folder|directory|dir)$/i.test(place.path.at(-1) ?? ''))
      .map(({ name }) => name)
    // The path of an operation of the contract; and a folder that a person types in a shell that has no dialog for it.
    expect(named.filter((name) => !['console.call: path', 'computer.typeFolder: path'].includes(name))).toEqual([])
  })
})

describe('every procedure', () => {
  it('refuses what it does not take, of a wrong kind, huge, or with more than it knows', async () => {
    let calls = 0
    const through: string[] = []
    for (const { name, input } of procedures) {
      if (!input) continue
      const inputs = hostileInputs(input).filter((one) => (JSON.stringify(one) ?? '').length < maxMessage - 1_000)
      expect(inputs.length, name).toBeGreaterThan(10)
      calls += inputs.length
      const answers = await inSteps(inputs, async (one) => {
        try {
          await page.call(name, one)
          return 'done'
        } catch (error) {
          return (error as { code?: unknown }).code
        }
      })
      for (const [index, answer] of answers.entries())
        if (answer !== 'BAD_REQUEST')
          through.push(`${name} ${JSON.stringify(inputs[index]).slice(0, 120)}: ${String(answer)}`)
    }
    expect(through).toEqual([])
    expect(calls).toBeGreaterThan(2_500)
    expect(await page.call('app.about', undefined)).toMatchObject({ seat: null })
    expect(rig.log.filter((line) => line.startsWith('rpc fault'))).toEqual([])
  })

  it('is one of the contract: no other name is answered', async () => {
    for (const name of [
      'app.call',
      'constructor',
      '__proto__',
      'app.constructor',
      'push',
      'push.card.call',
      'channels.list.~orpc',
      'app..about',
      'profiles.secret',
    ])
      await expect(page.call(name, { profileId: 'local' }), name).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('has an example that it takes, so that one wrong place is what is refused', () => {
    const untried = procedures
      .filter(({ input }) => input && !z.safeParse(input, sampleOf(input)).success)
      .map(({ name }) => name)
    // Calls of operations are checked by the operation itself, which has required parameters of its own.
    expect(
      untried.filter(
        (name) => !name.startsWith('operations.') && !name.startsWith('messaging.') && !name.startsWith('rooms.'),
      ),
    ).toEqual([])
    expect(untried.length).toBeLessThan(procedures.length / 3)
  })
})

describe('an answer', () => {
  /** These hand a secret over, as their names say, and each is a step that a person takes. */
  const handsOver = new Set([
    'push.reveal',
    'push.copy',
    'receivers.signKey',
    'messaging.createAccount',
    'messaging.refreshToken',
    'seats.invite',
    'seats.inviteAgain',
  ])

  it('has no secret in it, of whatever procedure it is, nor has a refusal, an event or the log', async () => {
    const { rpc } = rig.page
    const profileId = 'local'
    const { cid } = await rpc.channels.create({ profileId, name: 'Canary' })
    const { roomid } = await rpc.rooms.create({ profileId, accid: 'host', name: 'Canary', announcement: '' })
    const { token } = await rpc.messaging.createAccount({ profileId, call: { accid: 'ana' }, keep: true })
    const { key } = await rpc.push.reveal({ profileId, cid })
    const { signKey } = await rpc.receivers.signKey({ profileId })
    const wsSecret = /wsSecret=([0-9a-f]+)/.exec(key)?.[1] ?? ''
    const secrets = {
      token,
      wsSecret,
      signKey,
      ...Object.fromEntries(rig.handed.map(({ appSecret }, index) => [`appSecret ${index}`, appSecret])),
    }
    for (const [name, secret] of Object.entries(secrets)) expect(secret.length, name).toBeGreaterThan(15)
    const given: Record<string, unknown> = {
      profileId,
      cid,
      roomid,
      accid: 'host',
      cids: [cid],
      limit: 50,
      beginTime: 0,
      endTime: 1,
      search: '',
      after: '',
      keep: true,
      renew: false,
      path: '/app/address',
      parameters: { cid },
      format: 'json',
      at: 1,
      forget: false,
    }
    const calls = [
      { roomid },
      { accid: 'host' },
      { accids: ['host'] },
      { accids: '["host"]' },
      { roomid, type: 0, limit: 10 },
      {},
    ]
    const inputOf = (input: z.core.$ZodType | undefined): unknown => {
      if (!input) return undefined
      const named = placesOf(input).filter(({ path }) => path.length === 1)
      const base = Object.fromEntries(
        named.flatMap(({ path: [name = ''] }) => (Object.hasOwn(given, name) ? [[name, given[name]]] : [])),
      )
      return [base, ...calls.map((call) => ({ ...base, call }))].find((one) => z.safeParse(input, one).success)
    }
    const last = /remove|forget|leave|disable|signOut|endSessions/i
    const asked = procedures
      .map(({ name, input }) => ({ name, input: inputOf(input), takesSome: input !== undefined }))
      // The first starts the service anew, which the others need; the events are followed already.
      .filter(
        ({ name, input, takesSome }) =>
          !handsOver.has(name) &&
          !['app.restartService', 'app.events'].includes(name) &&
          (input !== undefined || !takesSome),
      )
      .sort((a, b) => Number(last.test(a.name)) - Number(last.test(b.name)))
    expect(asked.length).toBeGreaterThan(60)
    let done = 0
    const found: string[] = []
    for (const { name, input } of asked) {
      const said = await page.call(name, input).then(
        (answer) => {
          done++
          return JSON.stringify(answer) ?? ''
        },
        (error: unknown) => JSON.stringify([String(error), (error as { data?: unknown }).data]),
      )
      for (const [secret, value] of Object.entries(secrets))
        if (said.includes(value)) found.push(`${secret} in ${name}`)
    }
    expect(found).toEqual([])
    expect(done).toBeGreaterThan(40)
    const rest = JSON.stringify([rig.page.events, rig.log])
    expect(Object.entries(secrets).filter(([, value]) => rest.includes(value))).toEqual([])
  })
})

/** Works through a list, 64 at a time. */
async function inSteps<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (let at = 0; at < items.length; at += 64) results.push(...(await Promise.all(items.slice(at, at + 64).map(work))))
  return results
}
