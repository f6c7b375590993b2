import { expect, it } from 'vitest'
import { until } from '../testing/condition.ts'
import { accessInMemory as made, cid } from './testing/access-in-memory.ts'
import type { Visitor } from './visitor.ts'

const elsewhere: Visitor = { isFree: false }

it('passphrases that are set at the same time each put out who gave the one before', async () => {
  const { access, cookies, rows } = await made()
  await access.update(cid, { mode: 'passphrase', passphrase: '00:00' })
  const first = access.row(cid).generation
  await Promise.all([access.update(cid, { passphrase: '01:01' }), access.update(cid, { passphrase: '02:02' })])
  expect(access.row(cid)).toMatchObject({ passphrase: '02:02', generation: first + 2 })
  expect(rows.get(cid)).toEqual(access.row(cid))
  const cookie = cookies.passphrase({ ...access.row(cid), generation: first + 1 }, false).split(';')[0]
  expect(access.admit(cid, { ...elsewhere, cookie })).toEqual({ ok: false, gate: 'passphrase' })
  const now = cookies.passphrase(access.row(cid), false).split(';')[0]
  expect(access.admit(cid, { ...elsewhere, cookie: now })).toMatchObject({ ok: true })
})

it('who gave the passphrase stays when everybody may watch, and is out when it is asked for again', async () => {
  const { access, cookies, watching } = await made()
  await access.update(cid, { mode: 'passphrase', passphrase: '00:00' })
  const before = access.row(cid)
  const { generation } = before
  const player = watching({ kind: 'passphrase', generation })
  expect(await access.update(cid, { mode: 'everybody' })).toEqual({ ended: 0 })
  expect(player.ended).toBe(false)
  expect(await access.update(cid, { mode: 'passphrase' })).toEqual({ ended: 1 })
  expect(player.ended).toBe(true)
  const cookie = cookies.passphrase(before, false).split(';')[0]
  expect(access.admit(cid, { ...elsewhere, cookie })).toEqual({ ok: false, gate: 'passphrase' })
})

it('a link that is good until a time ends its players then, in every mode, and tells it', async () => {
  const { access, clock, changed, watching } = await made()
  const linkId = await access.addLink(cid, { name: 'Mum', expires: clock.now() + 60_000 })
  if (linkId === 'full') throw new Error('no room for a link')
  const link = access.token(cid, linkId)
  expect(access.admit(cid, { ...elsewhere, link })).toEqual({ ok: true, ground: { kind: 'link', linkId } })
  const player = watching({ kind: 'link', linkId })
  const other = watching({ kind: 'everybody' })
  changed.length = 0
  clock.advance(59_999)
  expect(access.admit(cid, { ...elsewhere, link })).toMatchObject({ ground: { kind: 'link' } })
  clock.advance(1)
  await until('the player has ended', () => player.ended, 5_000)
  expect(other.ended).toBe(false)
  expect(changed).toContain(cid)
  await access.update(cid, { mode: 'links' })
  expect(access.admit(cid, { ...elsewhere, link })).toEqual({ ok: false, gate: 'ended' })
  // Only who has the whole token is told so, and that it was revoked.
  for (const guess of [`${link.slice(0, -2)}AA`, access.token('0'.repeat(32), linkId), `${link}A`])
    expect(access.admit(cid, { ...elsewhere, link: guess })).toEqual({ ok: false, gate: 'link' })
  await access.revokeLink(cid, linkId)
  expect(access.admit(cid, { ...elsewhere, link })).toEqual({ ok: false, gate: 'link', linkOver: 'revoked' })
})

it('tells who has the whole of a link that is over so before the passphrase, and nobody else', async () => {
  const { access, clock } = await made()
  await access.update(cid, { mode: 'passphrase', passphrase: '00:00' })
  const [ending, revoked] = [
    await access.addLink(cid, { name: 'Mum', expires: clock.now() + 60_000 }),
    await access.addLink(cid, { name: 'Tom' }),
  ]
  if (ending === 'full' || revoked === 'full') throw new Error('no room for a link')
  const links = [access.token(cid, ending), access.token(cid, revoked)]
  for (const link of links) expect(access.admit(cid, { ...elsewhere, link })).toMatchObject({ ok: true })
  clock.advance(60_000)
  await access.revokeLink(cid, revoked)
  for (const [index, linkOver] of (['ended', 'revoked'] as const).entries())
    expect(access.admit(cid, { ...elsewhere, link: links[index] })).toEqual({ ok: false, gate: 'passphrase', linkOver })
  for (const guess of [`${links[0]!.slice(0, -2)}AA`, access.token('0'.repeat(32), ending), `${links[1]!}A`, undefined])
    expect(access.admit(cid, { ...elsewhere, link: guess })).toEqual({ ok: false, gate: 'passphrase' })
})

it('a revocation that comes twice keeps what the first one found', async () => {
  const { access, clock, links, watching } = await made()
  const linkId = (await access.addLink(cid, { name: 'Mum' })) as number
  watching({ kind: 'link', linkId })
  const at = clock.now()
  expect(await access.revokeLink(cid, linkId)).toEqual({ ended: 1 })
  clock.advance(5_000)
  expect(await access.revokeLink(cid, linkId)).toEqual({ ended: 1 })
  expect(links.get(linkId)).toMatchObject({ revoked: at, ended: 1 })
  // An undo at the same moment wins over the count of what was ended.
  await access.restoreLink(cid, linkId)
  await Promise.all([access.revokeLink(cid, linkId), access.restoreLink(cid, linkId)])
  expect(links.get(linkId)).toMatchObject({ revoked: null, ended: null })
  expect(access.link(cid, linkId)).toEqual(links.get(linkId))
})

it('what takes access away holds on a full disk, what gives it is refused, and the disk has it later', async () => {
  const { access, cookies, rows, links, watching, disk, retries } = await made()
  const linkId = (await access.addLink(cid, { name: 'Mallory' })) as number
  await access.update(cid, { embedOrigins: ['https://a.example', 'https://b.example'] })
  disk.isFull = true
  const [open, linked] = [watching({ kind: 'everybody' }), watching({ kind: 'link', linkId })]
  expect(await access.revokeLink(cid, linkId)).toEqual({ ended: 1, owed: 'full' })
  expect(await access.revokeLink(cid, linkId)).toEqual({ ended: 1, owed: 'full' })
  expect(linked.ended).toBe(true)
  expect(await access.update(cid, { mode: 'passphrase', passphrase: '00:00' })).toMatchObject({ owed: 'full' })
  expect(open.ended).toBe(true)
  expect(await access.update(cid, { embedOrigins: ['https://b.example'] })).toMatchObject({ owed: 'full' })
  const entered = cookies.passphrase(access.row(cid), false).split(';')[0]
  expect(await access.update(cid, { passphrase: '01:01' })).toMatchObject({ owed: 'full' })
  expect(access.admit(cid, { ...elsewhere, cookie: entered })).toEqual({ ok: false, gate: 'passphrase' })
  expect(await access.update(cid, { closed: true })).toMatchObject({ owed: 'full' })
  const link = access.token(cid, linkId)
  expect(access.admit(cid, { ...elsewhere, link })).toEqual({ ok: false, gate: 'closed' })
  const held = access.row(cid)
  // What lets somebody in is not taken, also together with what does not.
  for (const change of [
    { mode: 'everybody' },
    { closed: false },
    { embedOrigins: ['https://c.example'] },
    { closed: false, passphrase: '02:02' },
  ] as const)
    await expect(access.update(cid, change)).rejects.toThrow('no space')
  await expect(access.restoreLink(cid, linkId)).rejects.toThrow('no space')
  expect([access.row(cid), access.link(cid, linkId)?.revoked]).toEqual([held, expect.any(Number)])
  expect([rows.get(cid)?.mode, links.get(linkId)?.revoked]).toEqual(['everybody', null])
  disk.isFull = false
  retries.advance(10_000)
  await until('the disk to have it', () => rows.get(cid)?.closed === 1 && links.get(linkId)!.revoked !== null, 5_000)
  expect([rows.get(cid), links.get(linkId)]).toEqual([held, access.link(cid, linkId)])
})

it('what is in force and not stored stays where another service changes something else', async () => {
  const { access, byAnother, rows, disk, retries } = await made()
  disk.isFull = true
  expect(await access.update(cid, { closed: true })).toMatchObject({ owed: 'full' })
  byAnother({ kind: 'rules', cid, values: { next: 5, nextTitle: 'harbour' } })
  expect(access.row(cid)).toMatchObject({ closed: 1, next: 5 })
  disk.isFull = false
  retries.advance(10_000)
  await until('the disk to have it', () => rows.get(cid)?.closed === 1, 5_000)
  expect(rows.get(cid)).toEqual(access.row(cid))
})

it('a title is taken once, and neither one that was written since nor that of a later announcement', async () => {
  const { access, rows, clock } = await made()
  const next = (): string | null => access.row(cid).nextTitle
  await access.nameNext(cid, 'Requests')
  await access.titleTaken(cid, 'Requests')
  expect([next(), rows.get(cid)?.nextTitle]).toEqual([null, null])
  await access.nameNext(cid, 'Covers')
  await access.titleTaken(cid, 'Requests')
  expect(next()).toBe('Covers')
  await access.schedule(cid, clock.now() + 1000, 'Covers')
  await access.titleTaken(cid, 'Covers')
  expect(next()).toBe('Covers')
  clock.advance(1000)
  await access.titleTaken(cid, 'Covers')
  expect(next()).toBeNull()
})

it('what takes access away is in force also where no turn can be had, and what gives it is refused', async () => {
  const { access, rows, links, watching, disk, retries } = await made()
  const linkId = (await access.addLink(cid, { name: 'Mallory' })) as number
  const [open, linked] = [watching({ kind: 'everybody' }), watching({ kind: 'link', linkId })]
  disk.isAway = true
  expect(await access.revokeLink(cid, linkId)).toEqual({ ended: 1, owed: 'other' })
  expect(await access.update(cid, { closed: true })).toMatchObject({ owed: 'other' })
  expect([open.ended, linked.ended, rows.size]).toEqual([true, true, 0])
  await expect(access.update(cid, { closed: false })).rejects.toThrow('no turn')
  await expect(access.restoreLink(cid, linkId)).rejects.toThrow('no turn')
  disk.isAway = false
  retries.advance(10_000)
  await until('it is stored', () => rows.get(cid)?.closed === 1 && links.get(linkId)!.revoked !== null, 5_000)
})

it('a change of another service ends the players that may not watch any more', async () => {
  const { access, byAnother, watching, changed } = await made()
  const linkId = (await access.addLink(cid, { name: 'Mum' })) as number
  const [linked, open] = [watching({ kind: 'link', linkId }), watching({ kind: 'everybody' })]
  changed.length = 0
  byAnother({ kind: 'changeLink', cid, linkId, values: { revoked: 1, ended: 0 } })
  expect([linked.ended, open.ended, changed]).toEqual([true, false, [cid]])
  byAnother({ kind: 'rules', cid, values: { closed: 1 } })
  expect(open.ended).toBe(true)
})

it('a token is of one channel and one link, has one spelling, and links of a channel are bounded', async () => {
  const { access } = await made()
  const ids = await Promise.all(Array.from({ length: 4 }, () => access.addLink(cid, { name: 'Mum' })))
  expect(ids.at(-1)).toBe('full')
  await access.update(cid, { mode: 'links' })
  const other = 'b'.repeat(32)
  await access.update(other, { mode: 'links' })
  const link = access.token(cid, 1)
  expect(access.admit(cid, { ...elsewhere, link }).ok).toBe(true)
  for (const wrong of [
    access.token(other, 1),
    access.token(cid, 9),
    `${link}A`,
    link.slice(1),
    `0${link}`,
    link.toUpperCase(),
    '',
  ])
    expect(access.admit(cid, { ...elsewhere, link: wrong }), wrong).toEqual({ ok: false, gate: 'link' })
  expect(access.admit(other, { ...elsewhere, link, cookie: `sidestage-link-${other}=link.${link}` }).ok).toBe(false)
})

it('what was good before the database went back in time is not taken for what is made after it', async () => {
  const past = await made()
  const linkId = (await past.access.addLink(cid, { name: 'Mallory' })) as number
  await past.access.update(cid, { mode: 'passphrase', passphrase: '00:00' })
  const link = past.access.token(cid, linkId)
  const entered = past.cookies.passphrase(past.access.row(cid), false).split(';')[0]
  expect(past.access.admit(cid, { ...elsewhere, cookie: entered })).toMatchObject({ ok: true })

  const { access, clock } = await made()
  clock.advance(1)
  expect(await access.addLink(cid, { name: 'Bert' })).toBe(linkId)
  await access.update(cid, { mode: 'passphrase', passphrase: '01:01' })
  expect(access.row(cid).generation).toBe(past.access.row(cid).generation)
  expect(access.admit(cid, { ...elsewhere, cookie: entered })).toEqual({ ok: false, gate: 'passphrase' })
  expect(access.admit(cid, { ...elsewhere, link })).toEqual({ ok: false, gate: 'passphrase' })
  expect(access.admit(cid, { ...elsewhere, link: access.token(cid, linkId) })).toMatchObject({ ok: true })
})

it("the application's own link is renewed by a stricter mode or a new passphrase, and its players end", async () => {
  const { access, clock, watching } = await made()
  const own = (): string => access.ownQuery(cid).replace('?link=', '')
  const admits = (link: string): boolean => access.admit(cid, { ...elsewhere, link }).ok
  const watchingBy = (link: string) => {
    const admission = access.admit(cid, { ...elsewhere, link })
    if (!admission.ok) throw new Error(admission.gate)
    return watching(admission.ground)
  }
  await access.update(cid, { mode: 'passphrase', passphrase: '00:00' })
  const [first, player] = [own(), watchingBy(own())]
  await access.update(cid, { passphrase: '01:01' })
  expect([admits(first), player.ended, admits(own())]).toEqual([false, true, true])
  // At the same moment too.
  const [second, again] = [own(), watchingBy(own())]
  await access.update(cid, { mode: 'links' })
  expect([admits(second), again.ended]).toEqual([false, true])
  // What lets more people in leaves it, and what it may do comes back with nothing else.
  const [third, last] = [own(), watchingBy(own())]
  await access.update(cid, { mode: 'passphrase' })
  expect([admits(third), last.ended]).toEqual([true, false])
  await access.update(cid, { mode: 'everybody' })
  clock.advance(1_000)
  await access.update(cid, { mode: 'links' })
  expect([admits(first), admits(second), admits(third), last.ended, admits(own())]).toEqual([
    false,
    false,
    false,
    true,
    true,
  ])
  expect(new Set([first, second, third, own()]).size).toBe(4)
})

it('a channel that is deleted is forgotten with its links', async () => {
  const { access, rows, links } = await made()
  await access.update(cid, { mode: 'passphrase', passphrase: '00:00' })
  await access.addLink(cid, { name: 'Mum' })
  await access.forget(cid)
  expect([rows.size, links.size, access.links(cid), access.row(cid).passphrase]).toEqual([0, 0, [], null])
})

it('checks of passphrases that come at once are bounded, and a changed one is not remembered', async () => {
  const { access, passphrases } = await made()
  const hash = await passphrases.hash('lamp and harbour')
  expect(hash).not.toContain('lamp')
  const checks = await Promise.all(Array.from({ length: 40 }, () => passphrases.matches(hash, 'wrong')))
  expect(checks.filter((check) => check === 'busy')).toHaveLength(6)
  expect(checks.filter((check) => check === false)).toHaveLength(34)
  await access.update(cid, { mode: 'passphrase', passphrase: hash })
  expect(await access.admitWith(cid, { ...elsewhere, passphrase: 'lamp and harbour' })).toMatchObject({ ok: true })
  expect(passphrases.isRemembered(hash, 'lamp and harbour')).toBe(true)
  await access.update(cid, { passphrase: await passphrases.hash('another') })
  expect(passphrases.isRemembered(hash, 'lamp and harbour')).toBe(false)
})

it('wrong passphrases of one household do not delay the right one of another', async () => {
  const { access, passphrases } = await made()
  await access.update(cid, { mode: 'passphrase', passphrase: await passphrases.hash('lamp and harbour') })
  const ended: string[] = []
  const ask = (name: string, passphrase: string, from: string) =>
    access.admitWith(cid, { ...elsewhere, passphrase }, from).then((admission) => {
      ended.push(name)
      return admission
    })
  const wrong = Array.from({ length: 40 }, (_, count) => ask(`wrong ${count}`, 'guess', '2001:db8:0:ab00::/56'))
  expect(await ask('right', 'lamp and harbour', '203.0.113.5')).toMatchObject({ ok: true })
  // Those that were being checked, and those for whom there was no room.
  const checked = ended.slice(0, ended.indexOf('right')).filter((name) => Number(name.split(' ')[1]) < 33)
  expect(checked.length).toBeLessThanOrEqual(4)
  await Promise.all(wrong)
})
