import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { local } from '../../contract/operations/index.ts'
import { Failure, TimedOut } from '../failure.ts'
import type { Client } from './client.ts'
import { ofThisComputer } from './local-client.ts'
import { createTransport } from './transport.ts'

it.each([
  ['late', 'stood without an answer', new TimedOut('no answer'), true],
  ['down', 'stood without an answer, and it has ended since', new TimedOut('no answer'), false],
  ['down', 'was cut, as by a kill that nobody has noticed yet', new Failure('unreachable', 'ECONNRESET'), true],
  ['down', 'was refused', new Failure('refused', 'ECONNREFUSED'), true],
  ['code', 'was answered', new Failure('code', 'no', { code: 403 }), true],
] as const)('is %s where a call %s', async (kind, _what, failure, isRunning) => {
  const client = ofThisComputer({ call: () => Promise.reject(failure) } as unknown as Client, () => isRunning)
  await expect(client.call(local.info, {})).rejects.toMatchObject({ data: { kind } })
})

it('knows a call that stood without an answer by its transport', async () => {
  const server = createServer(() => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const transport = createTransport({ limits: { patience: 50 } })
  try {
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    await expect(transport.ask({ url, headers: {}, body: '' })).rejects.toBeInstanceOf(TimedOut)
  } finally {
    transport.close()
    server.closeAllConnections()
    server.close()
  }
})

it.each(['call', 'exchange', 'stream'] as const)('%s passes its answer on, and has the same failures', async (name) => {
  let answer: Promise<unknown> = Promise.resolve('answer')
  const asked: unknown[][] = []
  const far = {
    [name]: (...given: unknown[]) => {
      asked.push(given)
      return answer
    },
  } as unknown as Client
  const client = ofThisComputer(far, () => true)
  const given = { signal: new AbortController().signal }
  const make = (): Promise<unknown> =>
    name === 'stream' ? client.stream(local.events, {}, given.signal) : client[name](local.info, given as never)
  expect(await make()).toBe('answer')
  expect(asked).toEqual([name === 'stream' ? [local.events, {}, given.signal] : [local.info, given]])
  answer = Promise.reject(new Failure('unreachable', 'ECONNRESET'))
  await expect(make()).rejects.toMatchObject({ data: { kind: 'down', detail: 'ECONNRESET' } })
  const other = new Error('another')
  answer = Promise.reject(other)
  await expect(make()).rejects.toBe(other)
})
