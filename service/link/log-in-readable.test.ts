import { afterEach, describe, expect, it } from 'vitest'
import { createLog } from '../log.ts'
import { openRaw } from './testing/raw-client.ts'
import { startRig, type LinkRig } from './testing/rig.ts'

describe('a log-in from another computer without TLS', () => {
  let rig: LinkRig
  afterEach(() => rig.close())
  const lan = () => ({ remoteAddress: '192.0.2.8', localAddress: '192.0.2.7' })
  const logIn = async (...over: Parameters<LinkRig['credentials']>) => {
    const raw = await openRaw(rig.url)
    return { raw, answer: await raw.ask('login', rig.credentials(...over)) }
  }

  it('is refused to accounts with 403, for a right token as for a wrong one, and says nothing of the account', async () => {
    const lines: string[] = []
    rig = await startRig({ ends: lan, log: createLog({ level: 'debug', destination: { write: (line) => lines.push(line) } }) })
    rig.add('ann')
    rig.accounts.get('ann')!.token = 'canary-token'
    const answers = new Set<string>()
    for (const over of [{}, { token: 'wrong' }, { accid: 'nobody' }, { appKey: 'other' }]) {
      const { raw, answer } = await logIn('ann', over)
      expect(answer).toMatchObject({ t: 'error', code: 403 })
      answers.add(JSON.stringify({ ...answer, id: 0 }))
      expect((await raw.closed).code).toBe(4401)
    }
    expect(answers.size).toBe(1)
    expect(rig.link.online(7, 'ann')).toEqual([])
    await rig.records.settled()
    expect(rig.copied).toEqual([])
    expect(lines.join('')).not.toContain('canary-token')
  })

  it('is refused again and again without making the account wait at home', async () => {
    let ends = lan()
    rig = await startRig({ ends: () => ends })
    rig.add('ann')
    for (let attempt = 0; attempt < 8; attempt++) expect((await logIn('ann')).answer).toMatchObject({ code: 403 })
    ends = { remoteAddress: '192.0.2.7', localAddress: '192.0.2.7' }
    expect((await logIn('ann')).answer).toMatchObject({ t: 'ok', accid: 'ann' })
  })

  it('is open to guests, who have the right token', async () => {
    rig = await startRig({ ends: lan, guests: new Set(['guest-1']) })
    rig.add('guest-1')
    expect((await logIn('guest-1')).answer).toMatchObject({ t: 'ok', accid: 'guest-1' })
    expect((await logIn('guest-1', { token: 'wrong' })).answer).toMatchObject({ code: 414 })
  })

  it('is open to accounts where that is switched on', async () => {
    rig = await startRig({ ends: lan, plainSignIn: true })
    rig.add('ann')
    expect((await logIn('ann')).answer).toMatchObject({ t: 'ok' })
    expect((await logIn('ann', { token: 'wrong' })).answer).toMatchObject({ code: 414 })
  })
})
