import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isLinkLike, readDeepLink, routeOf } from './deep-link.ts'

const cid = '0123456789abcdef0123456789abcdef'

describe('an address of the app', () => {
  it('shows a channel, a room, or what an invitation is', () => {
    expect(readDeepLink(`sidestage://channel/${cid}`)).toEqual({ kind: 'channel', cid })
    expect(readDeepLink(`sidestage://channel/${cid}/`)).toEqual({ kind: 'channel', cid })
    expect(readDeepLink('sidestage://room/42')).toEqual({ kind: 'room', roomid: 42 })
    const fp = 'ab'.repeat(32)
    const link = readDeepLink(
      `sidestage://join/?fp=${fp.toUpperCase()}&host=10.0.0.7:7443&code=a-b_c-d_e&accid=mei&token=secret`,
    )
    expect(link).toEqual({
      kind: 'join',
      invitation: { host: '10.0.0.7:7443', secured: true, fingerprint: fp, code: 'a-b_c-d_e', accid: 'mei' },
    })
    // What was not read does not go on.
    expect(link && routeOf(link)).toBe(`/join?host=10.0.0.7:7443&accid=mei&code=a-b_c-d_e&fp=${fp}`)
  })

  it('is passed over in any other form', () => {
    for (const text of [
      '',
      'sidestage:',
      'sidestage://',
      'sidestage://channel',
      `sidestage:channel/${cid}`,
      `SIDESTAGE://channel/${cid}`,
      ` sidestage://channel/${cid}`,
      `sidestage://channel/${cid}\n`,
      `sidestage://channel/${cid}?do=delete`,
      `sidestage://channel/${cid}#x`,
      `sidestage://channel/${cid.toUpperCase()}`,
      `sidestage://channel/../${cid}`,
      `sidestage://user@channel/${cid}`,
      'sidestage://room/0',
      'sidestage://room/-1',
      'sidestage://room/1e3',
      'sidestage://room/9999999999999999',
      'sidestage://room/12345678901234567',
      'sidestage://room/7/mute',
      'sidestage://join',
      'sidestage://join?',
      'sidestage://join?<script>',
      'sidestage://join?host=10.0.0.7:7443&fp=ab',
      'sidestage://join?code=abcdefgh',
      'sidestage://join?host=10.0.0.7:0',
      'https://10.0.0.7:7443/#code=abcdefgh',
      'sidestage://join?a b',
      `sidestage://join?${'a'.repeat(2048)}`,
      'sidestage://settings/profiles',
      'sidestage://channel/1 --data /tmp/x',
      'javascript:alert(1)',
      'app://sidestage/',
      `https://sidestage//channel/${cid}`,
    ])
      expect(readDeepLink(text), text).toBeUndefined()
    for (const other of [
      undefined,
      null,
      7,
      {},
      [`sidestage://channel/${cid}`],
      new String(`sidestage://channel/${cid}`),
    ])
      expect(readDeepLink(other)).toBeUndefined()
  })

  it('never leads to anything but three routes, whatever it says', () => {
    const part = fc.constantFrom(
      'sidestage',
      '://',
      ':',
      '/',
      '?',
      '#',
      'channel',
      'room',
      'join',
      cid,
      '7',
      '..',
      '%2e',
      '@',
      '\\',
      '"',
      ' --data',
      '\0',
      '=',
      '&',
      'javascript:',
    )
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.webUrl(),
      fc.array(part, { maxLength: 12 }).map((parts) => parts.join('')),
      fc.string().map((tail) => `sidestage://${tail}`),
    )
    fc.assert(
      fc.property(texts, (text) => {
        const link = readDeepLink(text)
        if (link === undefined) return
        expect(routeOf(link)).toMatch(
          /^(\/studio\/[0-9a-f]{32}|\/room\?open=[1-9]\d{0,15}|\/join\?host=[\w.:%-]+(&(accid|code|fp)=[\w.@-]+)*)$/,
        )
        // What was read says the same when it is written again.
        if (link.kind === 'channel') expect(text.replace(/\/$/, '')).toBe(`sidestage://channel/${link.cid}`)
        else if (link.kind === 'room') expect(text.replace(/\/$/, '')).toBe(`sidestage://room/${link.roomid}`)
        else expect(text.startsWith('sidestage://join')).toBe(true)
      }),
      { numRuns: 4_000 },
    )
    fc.assert(fc.property(fc.anything(), (value) => typeof value === 'string' || readDeepLink(value) === undefined))
  })

  it('is known on a command line however it is written', () => {
    expect(['sidestage://x', 'SideStage:x', ' "sidestage://x'].every(isLinkLike)).toBe(true)
    expect(['--data', '/home/sidestage:', 'x sidestage://'].some(isLinkLike)).toBe(false)
  })
})
