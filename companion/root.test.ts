import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createService } from '../service/root.ts'
import { startStockProxy, type StockProxy } from '../service/testing/stock-proxy.ts'
import { failureOf, openPage, type Rig, scratch, startRig, until } from './testing/rig.ts'

const folder = scratch()
const far = scratch()
const hostedPair = { appKey: 'canaryAppKeyHosted0001', appSecret: 'canary-APPSECRET-9f31c0de77aa41' }
type Service = Awaited<ReturnType<typeof createService>>
let rig: Rig
let hosted: Service
let stock: StockProxy
const openService = (dir: string, port = 0): Promise<Service> =>
  createService({
    dataDir: dir,
    api: { host: '127.0.0.1', port },
    media: { host: '127.0.0.1', port: 0 },
    rtmp: { host: '127.0.0.1', port: 0 },
    credentials: hostedPair,
  })
const entry = (more: object = {}) => ({
  name: 'Twin',
  liveUrl: stock.url,
  messagingUrl: hosted.ready.imBaseUrl,
  ...hostedPair,
  ...more,
})

beforeAll(async () => {
  hosted = await openService(path.join(far.dir, 'service'))
  stock = await startStockProxy(hosted.ready.baseUrl)
  // As a version that knew less has left it.
  mkdirSync(folder.dir, { recursive: true })
  writeFileSync(path.join(folder.dir, 'settings.json'), JSON.stringify({ theme: 'light', language: 'zh' }))
  rig = await startRig(folder.dir)
  await rig.companion.serviceReady(150_000)
})
afterAll(async () => {
  await rig.close()
  await stock.close()
  await hosted.close()
  folder[Symbol.dispose]()
  far[Symbol.dispose]()
})

describe('the service of this computer', () => {
  it('is ready with no set-up', async () => {
    const profiles = await until('profiles', () =>
      rig.page.newest('profiles', (event) => event.profiles.some((one) => one.id === 'local' && one.liveUrl !== '')),
    )
    expect(profiles.profiles[0]).toMatchObject({ id: 'local', kind: 'local', secret: 'session' })
    await until('a running service', () => rig.page.newest('service')?.service.phase === 'running')
    expect(rig.page.newest('service')?.service.addresses?.rtmp).toMatch(/^rtmp:\/\/127\.0\.0\.1:\d+/)
  })

  it('creates, renames, disables, resumes and deletes, and tells the tallies at once', async () => {
    const { rpc } = rig.page
    const { cid } = await rpc.channels.create({ profileId: 'local', name: 'evening_show' })
    await until('its tally', () =>
      rig.page.newest(
        'tallies',
        (event) => event.profileId === 'local' && event.tallies.some((one) => one.cid === cid && one.status === 0),
      ),
    )
    await rpc.channels.rename({ profileId: 'local', cid, name: '晚间节目' })
    expect((await rpc.channels.list({ profileId: 'local' })).channels.find((one) => one.cid === cid)).toMatchObject({
      name: '晚间节目',
      status: 0,
    })
    expect(await rpc.channels.disable({ profileId: 'local', cids: [cid] })).toEqual({
      results: [{ cid, ok: true, code: 200 }],
    })
    await until('the disabled tally', () =>
      rig.page.newest('tallies', (event) => event.tallies.some((one) => one.cid === cid && one.status === 2)),
    )
    const other = (await rpc.channels.create({ profileId: 'local', name: 'second' })).cid
    const report = await rpc.channels.disable({ profileId: 'local', cids: [cid, other] })
    expect(report.results).toEqual([
      { cid, ok: false, code: 629 },
      { cid: other, ok: true, code: 200 },
    ])
    expect((await rpc.channels.resume({ profileId: 'local', cids: [cid, other] })).results.every((one) => one.ok)).toBe(
      true,
    )
    const unknown = 'f'.repeat(32)
    expect((await rpc.channels.remove({ profileId: 'local', cids: [cid, unknown, other] })).results).toEqual([
      { cid, ok: true, code: 200 },
      { cid: unknown, ok: false, code: 603 },
      { cid: other, ok: true, code: 200 },
    ])
    await until('no tally left', () => rig.page.newest('tallies')?.tallies.length === 0)
  })

  it('splits the push address for an encoder and never changes it by looking', async () => {
    const { rpc } = rig.page
    const { cid } = await rpc.channels.create({ profileId: 'local', name: 'keys' })
    const on = { profileId: 'local', cid }
    const card = await rpc.push.card(on)
    const { key } = await rpc.push.reveal(on)
    expect(card.server).toMatch(/^rtmp:\/\/127\.0\.0\.1:\d+\/live$/)
    expect(key).toMatch(new RegExp(`^${cid}\\?wsSecret=[0-9a-f]{32}&wsTime=\\d{10}$`))
    expect([card.keyStart, card.keyEnd]).toEqual([cid.slice(0, 4), key.slice(-4)])
    expect(card.expires).toBe(Number(key.slice(-10)) * 1000)
    expect(await rpc.push.copy({ ...on, part: 'url' })).toEqual({ text: `${card.server}/${key}` })
    expect(await rpc.push.card(on)).toEqual(card)
    expect((await rpc.push.reveal(on)).key).toBe(key)
    await rpc.push.replaceKey(on)
    const replaced = (await rpc.push.reveal(on)).key
    expect(replaced).not.toBe(key)
    expect((await failureOf(rpc.push.card({ profileId: 'local', cid: 'e'.repeat(32) }))).code).toBe(602)
  })

  it('answers a bad name with the code of the service', async () => {
    expect(await failureOf(rig.page.rpc.channels.create({ profileId: 'local', name: 'a b' }))).toMatchObject({
      kind: 'code',
      code: 604,
    })
    expect(await failureOf(rig.page.rpc.channels.create({ profileId: 'local', name: '' }))).toMatchObject({
      kind: 'code',
      code: 610,
    })
  })
})

describe('the settings', () => {
  it('keep what an older version kept, and tell every window what changed', async () => {
    const { rpc } = rig.page
    const other = openPage(rig.companion)
    const before = await until('settings', () => other.newest('settings')?.settings)
    expect(before).toEqual({
      theme: 'light',
      language: 'zh',
      mutePresets: null,
      roomKeys: {},
      globalKeys: {},
      notices: ['pushLost', 'recordingStopped', 'diskLow', 'signInFailed'],
      recording: { everyPush: true, format: 'mp4', minutes: 60, named: true },
      startAtLogin: false,
      closeToTray: false,
    })
    const changed = { mutePresets: [30, 2_592_000, 0], roomKeys: { mute: ['B'], up: ['ArrowUp', 'W'] } }
    expect(await rpc.app.changeSettings(changed)).toEqual({ ...before, ...changed })
    expect(await rpc.app.changeSettings({ theme: 'dark' })).toEqual({ ...before, ...changed, theme: 'dark' })
    await until('them in the other window', () => other.newest('settings')?.settings.theme === 'dark')
    expect(other.newest('settings')?.settings).toMatchObject(changed)
    expect(JSON.parse(readFileSync(path.join(folder.dir, 'settings.json'), 'utf8'))).toMatchObject({
      ...changed,
      theme: 'dark',
    })
    for (const wrong of [[], [60, 60], [-1], [2_592_001], [0.5], [1, 2, 3, 4, 5, 6, 7]])
      await expect(rpc.app.changeSettings({ mutePresets: wrong })).rejects.toThrow('validation')
    for (const wrong of [
      { mute: [] },
      { mute: ['a', 'b', 'c'] },
      { mute: [''] },
      Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`k${n}`, ['x']])),
    ])
      await expect(rpc.app.changeSettings({ roomKeys: wrong })).rejects.toThrow('validation')
    other.close()
  })
})

describe('a hosted service', () => {
  it('is checked without being stored, then added, polled and removed', async () => {
    const { rpc } = rig.page
    const { name: _, ...unnamed } = entry()
    expect(await rpc.profiles.check(unnamed)).toEqual({ channels: 0 })
    const profile = await rpc.profiles.add(entry())
    expect(profile).toMatchObject({ kind: 'hosted', secret: 'session' })
    const { cid } = await rpc.channels.create({ profileId: profile.id, name: 'far' })
    const tallies = await until(
      'polled tallies',
      () =>
        rig.page.newest(
          'tallies',
          (event) => event.profileId === profile.id && event.tallies.some((one) => one.cid === cid),
        ),
      8_000,
    )
    expect(tallies).toMatchObject({ source: 'poll', fault: null })
    expect((await rpc.profiles.test({ profileId: profile.id })).channels).toBe(1)
    expect(await failureOf(rpc.push.replaceKey({ profileId: profile.id, cid }))).toMatchObject({ kind: 'absent' })
    await rpc.profiles.remove({ profileId: profile.id })
    expect(await failureOf(rpc.channels.list({ profileId: profile.id }))).toMatchObject({ kind: 'absent' })
  })

  it('gives a wrong secret, a wrong key, an unreachable host and a foreign answer a kind of their own', async () => {
    const check = (more: object): Promise<unknown> => {
      const { name: _, ...unnamed } = entry(more)
      return failureOf(rig.page.rpc.profiles.check(unnamed))
    }
    expect(await check({ appSecret: 'wrong' })).toMatchObject({ kind: 'signature', code: 409 })
    expect(await check({ appKey: 'nobody' })).toMatchObject({ kind: 'signature', code: 409 })
    expect(await check({ liveUrl: 'http://127.0.0.1:1' })).toMatchObject({ kind: 'refused' })
    expect(await check({ liveUrl: hosted.ready.mediaUrl })).toMatchObject({ kind: 'notOurs' })
    expect(await check({ liveUrl: `${hosted.ready.baseUrl}/elsewhere` })).toMatchObject({ kind: 'notOurs' })
    expect(await check({ liveUrl: 'http://live.example.com' })).toMatchObject({ kind: 'plain' })
    expect(await check({ liveUrl: 'file:///etc/passwd' })).toMatchObject({ kind: 'unreachable' })
  })

  it('needs the secret anew when an address or the key changes', async () => {
    const { rpc } = rig.page
    const profile = await rpc.profiles.add(entry({ name: 'Moving' }))
    expect(await rpc.profiles.update({ profileId: profile.id, name: 'Moved' })).toMatchObject({
      name: 'Moved',
      secret: 'session',
    })
    expect(await rpc.profiles.update({ profileId: profile.id, liveUrl: 'http://127.0.0.1:9' })).toMatchObject({
      secret: 'missing',
    })
    expect(await failureOf(rpc.profiles.test({ profileId: profile.id }))).toMatchObject({ kind: 'secret' })
    expect(await rpc.profiles.update({ profileId: profile.id, liveUrl: stock.url })).toMatchObject({
      secret: 'missing',
    })
    expect(await rpc.profiles.update({ profileId: profile.id, appSecret: hostedPair.appSecret })).toMatchObject({
      secret: 'session',
    })
    expect((await rpc.profiles.test({ profileId: profile.id })).channels).toBeGreaterThanOrEqual(0)
    await rpc.profiles.remove({ profileId: profile.id })
  })
})

describe('arguments of pages', () => {
  it('are refused when they are of a wrong type, huge, or carry more than the procedure knows', async () => {
    const rpc = rig.page.rpc as unknown as Record<string, Record<string, (input: unknown) => Promise<unknown>>>
    const wrong: unknown[] = [
      undefined,
      null,
      7,
      'local',
      [],
      { profileId: 7 },
      { profileId: 'x'.repeat(65) },
      { profileId: 'local', path: '/app/channel/delete' },
    ]
    for (const [group, procedures] of Object.entries({
      channels: ['list'],
      profiles: ['test', 'remove'],
      push: ['card', 'reveal', 'renew', 'replaceKey'],
      preview: ['open'],
    })) {
      for (const procedure of procedures)
        for (const input of wrong)
          await expect(
            rpc[group]?.[procedure]?.(input),
            `${group}.${procedure} ${JSON.stringify(input)}`,
          ).rejects.toMatchObject({ code: 'BAD_REQUEST' })
    }
    await expect(
      rpc['channels']?.['remove']?.({ profileId: 'local', cids: Array.from({ length: 1001 }, () => 'a'.repeat(32)) }),
    ).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    })
    await expect(rpc['push']?.['card']?.({ profileId: 'local', cid: '../../etc' })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    })
    await expect(rpc['app']?.['call']?.({ path: '/app/channellist' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('open only web addresses', async () => {
    for (const url of [
      'file:///etc/passwd',
      'smb://host/share',
      'javascript:alert(1)',
      ' https://a.example',
      'https://user@a.example',
      '\\\\host\\share',
      'ms-msdt:/id',
      'https://a.example/\u0000',
      'HTTPS:\\\\a.example',
      'hTtPs://a.example',
      'https:///a.example',
      'https://a.example/\u202egpj.exe',
      'https://a\u200b.example/',
      'https://a.example\\@b.example',
      'view-source:https://a.example',
      'data:text/html,x',
    ]) {
      expect(await failureOf(rig.page.rpc.app.openLink({ url })), url).toMatchObject({ kind: 'absent' })
    }
    await rig.page.rpc.app.openLink({ url: 'https://a.example/x?y=1' })
  })
})

describe('the canary', () => {
  it('finds no secret in events, answers, logs or files', async () => {
    const { rpc } = rig.page
    const profile = await rpc.profiles.add(entry({ name: 'Canary' }))
    const { cid } = await rpc.channels.create({ profileId: 'local', name: 'canary' })
    const on = { profileId: 'local', cid }
    const { key } = await rpc.push.reveal(on)
    const wsSecret = /wsSecret=([0-9a-f]+)/.exec(key)?.[1] ?? 'none'
    const secrets = [hostedPair.appSecret, wsSecret, ...rig.handed.map((one) => one.appSecret)]
    expect(secrets.every((secret) => secret.length >= 16)).toBe(true)
    const answers = [
      await rpc.app.about(),
      await rpc.app.serviceLog(),
      await rpc.channels.list({ profileId: 'local' }),
      await rpc.channels.list({ profileId: profile.id }),
      await rpc.push.card(on),
      await rpc.preview.open(on),
      await rpc.profiles.test({ profileId: profile.id }),
    ]
    const said = JSON.stringify([answers, rig.page.events, rig.log])
    const places: [string, string][] = [['answers, events and log', said]]
    for (const dir of [folder.dir])
      for (const file of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
        const full = path.join(dir, file)
        if (statSync(full).isFile()) places.push([file, readFileSync(full).toString('latin1')])
      }
    for (const process of rig.processes) {
      for (const what of ['cmdline', 'environ']) {
        try {
          places.push([what, readFileSync(`/proc/${process.pid}/${what}`, 'latin1')])
        } catch {
          /* Only Linux tells. */
        }
      }
    }
    for (const [place, text] of places)
      for (const secret of secrets) expect(text.includes(secret), `${secret.slice(0, 6)}… in ${place}`).toBe(false)
    await rpc.profiles.remove({ profileId: profile.id })
  })
})
