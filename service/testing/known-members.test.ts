import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { integer, list, object, text } from '../../contract/field.ts'
import { local } from '../../contract/operations/index.ts'
import { readEvents } from './event-reader.ts'
import { unknownMember } from './known-members.ts'
import { signedClient } from './signed-client.ts'

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})
/** A service that answers every request with these lines. */
async function answering(...lines: readonly object[]): Promise<string> {
  server = createServer((_request, response) => {
    response.end(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  })
  await new Promise<void>((listening) => {
    server!.listen(0, '127.0.0.1', listening)
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const fields = {
  name: text(),
  body: object({}, { optional: true }),
  files: list(object({ vid: integer({ optional: true }) })),
}

describe('what a test of the service is told', () => {
  it('has members that the contract describes', () => {
    expect(unknownMember(fields, { name: 'a', body: { msg: 'any' }, files: [{ vid: 1 }, {}] })).toBeUndefined()
  })
  it.each([
    [{ name: 'a', files: [], slices: 1 }, '.slices'],
    [{ name: 'a', files: [{ vid: 1 }, { path: '/' }] }, '.files[1].path'],
    [{ toString: 'a' }, '.toString'],
  ])('is refused with a member beyond it: %j', (value, name) => {
    expect(unknownMember(fields, value)).toBe(name)
  })
  it('is refused as an event with such a member, also when another event was waited for', async () => {
    const reader = await readEvents(
      await answering({ type: 'recording', at: 1, cid: 'x', state: 'off', slices: 1 }, { type: 'heartbeat', at: 2 }),
      {},
    )
    await expect(reader.next('heartbeat')).rejects.toThrow('recording.slices is not a member of the contract')
  })
  it('is refused as an answer with such a member', async () => {
    const ret = { recording: false, state: 'off', bytes: 0, diskFree: 1 }
    const call = async (answer: object) =>
      signedClient(await answering({ code: 200, ret: answer }), { appKey: 'k', appSecret: 's' }).call(
        local.recordingState,
        { cid: 'x' },
      )
    await expect(call({ ...ret, slices: 1 })).rejects.toThrow('.ret.slices is not a member of the contract')
    server?.close()
    await expect(call(ret)).resolves.toMatchObject({ ret })
  })
})
