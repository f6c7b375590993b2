import { expect, it } from 'vitest'
import { testCid, startTestServer } from './testing/rtmp-test-server.ts'
import { beginPublication } from './rtmp-publication.ts'
import type { SessionHost } from './rtmp-session-host.ts'

type Host = SessionHost<{ readonly remote: string }>

it('gives back the place of an encoder that is refused because another one is on air', async () => {
  const server = await startTestServer()
  try {
    await server.publisher()
    const places = new Set<object>()
    const host = {
      hub: server.hub,
      gate: { ...server.gate, admit: () => ({ ok: true }), released: () => undefined },
      admit: (session) => (places.add(session), true),
      released: (session) => void places.delete(session),
    } as Partial<Host> as Host
    const address = { cid: testCid, wsSecret: 'right', wsTime: '4102444800' }
    const answer = beginPublication(host, { remote: '127.0.0.1' }, address, undefined)
    expect(String(answer)).toContain('NetStream.Publish.BadName')
    expect(places.size).toBe(0)
  } finally {
    await server.close()
  }
})
