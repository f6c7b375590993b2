import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { Invitation, Seat, SeatBoard, SeatListener } from '../../../contract/rpc/index.ts'
import { makeProfiles } from '../../testing/fake-state.ts'
import { failed } from '../../testing/memory-client.ts'
import { began, mounted, service, starting } from '../../testing/mounted.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { roomListsWords } from '../rooms/words-lists.ts'
import { seatsWords } from './words.ts'
import ModeratorsPanel from './moderators-panel.vue'
import { useSeats } from './seats.ts'

const en = spoken(frameWords, 'en')
const roomListsEn = spoken(roomListsWords, 'en')
const seatsEn = spoken(seatsWords, 'en')

const { seats: words } = seatsEn
const listener: SeatListener = {
  phase: 'off',
  open: false,
  port: 0,
  urls: [],
  reason: null,
  certificate: 'none',
  fingerprint: null,
  certificateUntil: null,
  failures: 0,
}
const seat: Seat = {
  id: '0000000000000001',
  profileId: 'local',
  roomid: 7,
  cid: null,
  accid: 'mei',
  name: 'Mei',
  state: 'invited',
  created: began,
  codeUntil: began + 3_600_000,
  sessions: 0,
  pages: 0,
  lastAt: null,
  lastAction: null,
  address: null,
  device: null,
  owed: [],
  owedReason: null,
}
const invitation: Invitation = { seat, code: 'code-7f3a', token: 'token-91bc', link: null, appLink: null }
const board = (change: Partial<SeatListener> = {}, seats: readonly Seat[] = []): SeatBoard => ({
  listener: { ...listener, ...change },
  seats: [...seats],
  unwritten: null,
})
const rooms = [
  { roomid: 7, name: 'Seven', creator: 'host', valid: true, online: 1, cid: null },
  { roomid: 8, name: 'Eight', creator: 'host', valid: true, online: 1, cid: null },
]
const show = async (change: Partial<SeatListener> = {}, options: Parameters<typeof mounted>[1] = {}) => {
  const shown = await mounted(ModeratorsPanel, {
    path: '/settings/moderators',
    ...options,
    answers: {
      'seats.board': () => board(change),
      'rooms.list': () => ({ complete: true, rooms, next: null }),
      ...options.answers,
    },
  })
  await shown.pass(1)
  return shown
}
const button = (name: string) => page.getByRole('button', { name, exact: true })
const field = (name: string) => page.getByRole('textbox', { name, exact: true })
const text = (words: string) => page.getByText(words, { exact: true })
const late = () => {
  throw failed({ kind: 'late' })
}

describe('moderators in the settings', () => {
  it('are read once, and lead to the page of those who were invited themselves', async () => {
    const { client, router, tell } = await show()
    await expect.element(text(words.listener.title)).toBeVisible()
    await tell(service('restarting'), service('running'))
    expect(client.inputs('seats.board')).toHaveLength(1)
    await page.getByRole('link', { name: words.toJoin }).click()
    await expect.poll(() => router.currentRoute.value.path).toBe('/join')
  })

  it('say why they could not be read, and show no forms then', async () => {
    await show({}, { answers: { 'seats.board': late } })
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.late.sentence)
    expect(text(words.listener.title).query()).toBeNull()
  })

  it('warn that tokens are forgotten where there is no keychain', async () => {
    const { router } = await show(
      {},
      {
        profiles: makeProfiles('full').map((each) =>
          each.kind === 'local' ? { ...each, secret: 'session' as const } : each,
        ),
      },
    )
    await expect.element(page.getByRole('note')).toMatchTextContent(words.noKeychain.title)
    await page.getByRole('link', { name: words.noKeychain.toSecrets }).click()
    await expect.poll(() => router.currentRoute.value.path).toBe('/settings/computer')
  })

  it('have no such warning with a keychain', async () => {
    await show()
    await expect.element(text(words.listener.title)).toBeVisible()
    expect(page.getByRole('note').query()).toBeNull()
  })

  it('show an invitation in place of the form for one, until it is put away', async () => {
    const { pinia, tell } = await show()
    useSeats(pinia).invitation = invitation
    await tell()
    await expect.element(page.getByRole('region', { name: words.made.title.replace('{name}', 'Mei') })).toBeVisible()
    expect(button(words.invite.do).query()).toBeNull()
    await button(words.made.done).click()
    await expect.element(button(words.invite.do)).toBeVisible()
  })
})

describe('the invitation of a moderator', () => {
  const fill = async (accid: string, name: string): Promise<void> => {
    await field(words.invite.accid).fill(accid)
    await field(words.invite.name).fill(name)
    await button(words.invite.do).click()
  }

  it('is made for the first room, with the account in small letters', async () => {
    const { client } = await show({}, { answers: { 'seats.invite': () => invitation } })
    await fill(' Mei_2 ', ' Mei ')
    await expect
      .poll(() => client.inputs('seats.invite'))
      .toEqual([{ profileId: 'local', roomid: 7, accid: 'mei_2', name: 'Mei' }])
    await expect.element(page.getByRole('region', { name: words.made.title.replace('{name}', 'Mei') })).toBeVisible()
  })

  it('is made for the room that is chosen', async () => {
    const { client } = await show({}, { answers: { 'seats.invite': () => invitation } })
    await page.getByRole('combobox', { name: words.invite.room }).selectOptions('8')
    await fill('mei', 'Mei')
    await expect.poll(() => client.inputs('seats.invite').map(({ roomid }) => roomid)).toEqual([8])
  })

  it.each([
    ['', 'Mei', true],
    ['mei!', 'Mei', true],
    ['mei', '  ', false],
  ])('is not made for “%s” named “%s”, and says so after the press', async (accid, name, isAccid) => {
    const { client } = await show()
    const fault = text(words.invite.accidFault.replace("{'@'}", '@'))
    expect(fault.query()).toBeNull()
    await fill(accid, name)
    if (isAccid) await expect.element(fault).toBeVisible()
    else await expect.element(field(words.invite.name)).toHaveAttribute('aria-invalid', 'true')
    expect(client.inputs('seats.invite')).toEqual([])
  })

  it('says why it was refused, and keeps what was typed', async () => {
    await show({}, { answers: { 'seats.invite': late } })
    await fill('mei', 'Mei')
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.late.sentence)
    await expect.element(field(words.invite.accid)).toHaveValue('mei')
  })

  it('says that there is no room yet', async () => {
    await show({}, { answers: { 'rooms.list': () => ({ complete: true, rooms: [], next: null }) } })
    await expect.element(text(words.invite.noRooms)).toBeVisible()
    expect(button(words.invite.do).query()).toBeNull()
  })

  it('says why the rooms could not be read, and reads them when the service is back', async () => {
    const { client, tell } = await show({}, { answers: { 'rooms.list': late } })
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.late.sentence)
    await expect.element(button(words.invite.do)).toHaveAttribute('aria-disabled', 'true')
    client.answer({ 'rooms.list': () => ({ complete: true, rooms, next: null }) })
    await tell(service('restarting'), service('running'))
    await expect.element(button(words.invite.do)).not.toHaveAttribute('aria-disabled', 'true')
    await expect.element(page.getByRole('alert')).not.toBeInTheDocument()
  })

  it('has more rooms where there are more', async () => {
    const { client } = await show(
      {},
      {
        answers: {
          'rooms.list': ({ before }) => ({
            complete: true,
            rooms: [rooms[before === undefined ? 0 : 1]!],
            next: before === undefined ? 7 : null,
          }),
        },
      },
    )
    await button(roomListsEn.roomLists.more).click()
    await expect
      .poll(() => page.getByRole('combobox', { name: words.invite.room }).element().querySelectorAll('option').length)
      .toBe(2)
    expect(client.inputs('rooms.list').at(-1)).toEqual({ profileId: 'local', before: 7 })
    await expect.element(button(roomListsEn.roomLists.more)).not.toBeInTheDocument()
  })

  it('cannot be pressed while the service is down', async () => {
    const { tell } = await show()
    await tell(service('restarting'))
    await expect.element(button(words.invite.do)).toHaveAttribute('aria-disabled', 'true')
  })
})

describe('the listener of moderators', () => {
  const others = () => page.getByRole('radio', { name: words.listener.others })
  const port = () => field(words.listener.port)
  const status = () => page.getByRole('status').first()
  const made = { certificate: 'made', fingerprint: 'AB:CD' } as const
  const on = {
    phase: 'listening',
    port: 8720,
    urls: ['http://127.0.0.1:8720'],
  } satisfies Partial<SeatListener>

  it('is off at first, and is started for this computer at the port that is entered', async () => {
    const { client } = await show({}, { answers: { 'seats.listen': () => ({ ...listener, ...on }) } })
    await expect.element(status()).toMatchTextContent(words.listener.off)
    await expect.element(text(words.listener.hereText)).toBeVisible()
    expect(button(words.listener.stop).query()).toBeNull()
    await port().fill('8720')
    await button(words.listener.start).click()
    await expect.poll(() => client.inputs('seats.listen')).toEqual([{ on: true, open: false, port: 8720 }])
    await expect.element(status()).toMatchTextContent(words.listener.listening)
    await expect.element(status()).toMatchTextContent('http://127.0.0.1:8720')
    expect(button(words.listener.start).query()).toBeNull()
  })

  it('is stopped by its button', async () => {
    const { client } = await show({ ...on, open: true, ...made }, { answers: { 'seats.listen': () => listener } })
    expect(button(words.listener.change).query()).toBeNull()
    await button(words.listener.stop).click()
    await expect.poll(() => client.inputs('seats.listen')).toEqual([{ on: false, open: true, port: 8720 }])
  })

  it('lets others in only with a certificate, and says so', async () => {
    const { client, tell } = await show()
    await others().click()
    await expect.element(text(words.listener.needsCertificate)).toBeVisible()
    await expect.element(page.getByText(starting(words.listener.mustReach))).toBeVisible()
    await expect.element(button(words.listener.start)).toHaveAttribute('aria-disabled', 'true')
    await expect.element(button(words.listener.start)).toHaveAccessibleDescription(words.listener.needsCertificate)
    await button(words.listener.start).click({ force: true })
    expect(client.inputs('seats.listen')).toEqual([])
    await tell({ type: 'seats', board: board({ certificate: 'made', fingerprint: null }) })
    await expect.element(text(words.listener.needsCertificate)).toBeVisible()
  })

  it('lets others in with a certificate', async () => {
    const { client } = await show(made, { answers: { 'seats.listen': () => ({ ...listener, ...made, ...on }) } })
    await others().click()
    await expect.element(text(words.listener.reachable.replace('{port}', '0'))).toBeVisible()
    expect(text(words.listener.needsCertificate).query()).toBeNull()
    await button(words.listener.start).click()
    await expect.poll(() => client.inputs('seats.listen')).toEqual([{ on: true, open: true, port: 0 }])
  })

  it.each(['65536', 'x', '', '-1'])('refuses what is no port: “%s”', async (typed) => {
    const { client } = await show()
    await port().fill(typed)
    await expect.element(text(words.listener.portFault)).toBeVisible()
    await expect.element(button(words.listener.start)).toHaveAttribute('aria-disabled', 'true')
    await button(words.listener.start).click({ force: true })
    expect(client.inputs('seats.listen')).toEqual([])
  })

  it('that listens is changed by a button that comes with another port', async () => {
    const { client } = await show(on, { answers: { 'seats.listen': () => ({ ...listener, ...on, port: 8721 }) } })
    await port().fill('8721')
    await button(words.listener.change).click()
    await expect.poll(() => client.inputs('seats.listen')).toEqual([{ on: true, open: false, port: 8721 }])
    await expect.element(button(words.listener.change)).not.toBeInTheDocument()
  })

  it('follows what another window started', async () => {
    const { tell } = await show()
    await tell({ type: 'seats', board: board({ ...on, ...made, open: true }) })
    await expect.element(port()).toHaveValue('8720')
    await expect.element(others()).toHaveAttribute('aria-checked', 'true')
  })

  it('says why it could not be changed', async () => {
    await show({}, { answers: { 'seats.listen': late } })
    await button(words.listener.start).click()
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.late.sentence)
  })

  it('counts the sign-ins that failed', async () => {
    const { tell } = await show()
    await expect.element(text(words.listener.noFailures)).toBeVisible()
    await tell({ type: 'seats', board: board({ failures: 1 }) })
    await expect.element(text(words.listener.failures.split(' | ')[0]!.replace('{n}', '1'))).toBeVisible()
    await expect.element(text(words.listener.noFailures)).not.toBeInTheDocument()
  })
})

describe('the certificate for other computers', () => {
  const { certificate } = words
  const pem = '-----BEGIN CERTIFICATE-----\nAA\n-----END CERTIFICATE-----'
  const pemKey = '-----BEGIN PRIVATE KEY-----\nBB\n-----END PRIVATE KEY-----'
  const made = { certificate: 'made', fingerprint: 'AB:CD', certificateUntil: began } as const

  it('is made for the names that are typed', async () => {
    const { client } = await show({}, { answers: { 'seats.makeCertificate': () => ({ ...listener, ...made }) } })
    await expect.element(text(certificate.none)).toBeVisible()
    await field(certificate.names).fill('Stage.example, 10.0.0.2')
    await button(certificate.make).click()
    await expect.poll(() => client.inputs('seats.makeCertificate')).toEqual([{ names: ['stage.example', '10.0.0.2'] }])
    await expect.element(text('AB:CD')).toBeVisible()
    await expect.element(text(certificate.until.replace('{date}', '2026-11-26 16:00'))).toBeVisible()
    await expect.element(field(certificate.names)).toHaveValue('')
    await expect.element(button(certificate.makeAgain)).toBeVisible()
  })

  it.each(['https://x', Array.from({ length: 9 }, (_, n) => `h${n}`).join(' ')])(
    'is not made for names that are none, or too many: %s',
    async (typed) => {
      const { client } = await show()
      await field(certificate.names).fill(typed)
      await expect.element(text(certificate.namesFault)).toBeVisible()
      await expect.element(button(certificate.make)).toHaveAttribute('aria-disabled', 'true')
      await button(certificate.make).click({ force: true })
      expect(client.inputs('seats.makeCertificate')).toEqual([])
    },
  )

  it('says that its key is gone', async () => {
    await show({ certificate: 'made', fingerprint: null })
    await expect.element(page.getByRole('alert')).toMatchTextContent(certificate.unreadable)
  })

  it('is entered with its key, which leaves the page then', async () => {
    const { client } = await show({}, { answers: { 'seats.useCertificate': () => ({ ...listener, ...made }) } })
    await button(certificate.enter).click()
    await field(certificate.cert).fill(` ${pem} `)
    await field(certificate.key).fill(pemKey)
    await button(certificate.use).click()
    await expect.poll(() => client.inputs('seats.useCertificate')).toEqual([{ cert: pem, key: pemKey }])
    await expect.element(field(certificate.key)).not.toBeInTheDocument()
    await button(certificate.enter).click()
    await expect.element(field(certificate.key)).toHaveValue('')
  })

  it('that is no certificate or no key is not sent, and says which is missing', async () => {
    const { client } = await show()
    await button(certificate.enter).click()
    expect(text(certificate.certFault).query()).toBeNull()
    await field(certificate.cert).fill('no pem')
    await button(certificate.use).click()
    await expect.element(text(certificate.certFault)).toBeVisible()
    await expect.element(text(certificate.keyFault)).toBeVisible()
    await field(certificate.cert).fill(pem)
    await button(certificate.use).click()
    await expect.element(text(certificate.certFault)).not.toBeInTheDocument()
    expect(client.inputs('seats.useCertificate')).toEqual([])
  })

  it('has no fault left of a try that was cancelled', async () => {
    await show()
    await button(certificate.enter).click()
    await button(certificate.use).click()
    await expect.element(text(certificate.keyFault)).toBeVisible()
    await button(en.word.cancel).click()
    await button(certificate.enter).click()
    await expect.element(field(certificate.key)).toBeVisible()
    for (const fault of [certificate.certFault, certificate.keyFault]) expect(text(fault).query()).toBeNull()
  })

  it.each([
    ['a certificate', { certificate: 'made', fingerprint: 'AB:CD', certificateUntil: null }],
    ['no certificate, and what is left of one', { certificate: 'none', fingerprint: 'AB:CD', certificateUntil: began }],
  ] as const)('says no end where there is none: %s', async (_case, change) => {
    await show(change)
    await expect.element(text(certificate[change.certificate])).toBeVisible()
    expect(page.getByText(starting(certificate.until.split('{date}')[0]!)).query()).toBeNull()
    expect(text('AB:CD').query() !== null).toBe(change.certificate === 'made')
  })

  it('loses the typed key when it is cancelled', async () => {
    await show()
    await expect.element(button(certificate.enter)).toHaveAttribute('aria-expanded', 'false')
    await button(certificate.enter).click()
    await expect.element(button(en.word.cancel)).toHaveAttribute('aria-expanded', 'true')
    await field(certificate.key).fill(pemKey)
    await button(en.word.cancel).click()
    await expect.element(field(certificate.names)).toBeVisible()
    await button(certificate.enter).click()
    await expect.element(field(certificate.key)).toHaveValue('')
  })

  it('that was refused stays with its reason', async () => {
    await show({}, { answers: { 'seats.useCertificate': late } })
    await button(certificate.enter).click()
    await field(certificate.cert).fill(pem)
    await field(certificate.key).fill(pemKey)
    await button(certificate.use).click()
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.late.sentence)
    await expect.element(field(certificate.key)).toHaveValue(pemKey)
  })

  it('says that pages connect anew only while somebody may be connected', async () => {
    const { tell } = await show()
    await expect.element(text(certificate.title)).toBeVisible()
    expect(text(certificate.restarts).query()).toBeNull()
    await tell({ type: 'seats', board: board({ phase: 'listening', port: 1 }) })
    await expect.element(text(certificate.restarts)).toBeVisible()
  })

  it.each([
    ['keychain', certificate.keyHelp],
    ['session', certificate.keyHelpSession],
  ] as const)('says where its key is kept: %s', async (secret, says) => {
    await show(
      {},
      { profiles: makeProfiles('full').map((each) => (each.kind === 'local' ? { ...each, secret } : each)) },
    )
    await button(certificate.enter).click()
    await expect.element(text(says)).toBeVisible()
  })
})

describe('taking a seat back', () => {
  const steps = (...failing: readonly string[]) =>
    (['sessions', 'kept', 'role'] as const).map((what) => ({ what, ok: !failing.includes(what), reason: null }))
  const unwritten: SeatBoard['unwritten'] = { names: ['Mei'], lasting: false, reason: { code: 'full', params: {} } }
  const revoke = async (...failing: readonly string[]) => {
    const revoked: Seat = { ...seat, state: 'revoked', owed: failing.includes('role') ? ['role'] : [] }
    const shown = await show(
      {},
      {
        answers: {
          'seats.board': () => ({ ...board({}, [seat]), unwritten: failing.includes('kept') ? unwritten : null }),
          'seats.revoke': () => ({ seat: revoked, steps: steps(...failing) }),
        },
      },
    )
    await page.getByRole('button', { name: starting(words.list.revoke) }).click()
    await page.getByRole('dialog').getByRole('button', { name: words.revoke.do }).click()
    return shown
  }

  it('says each step that was done', async () => {
    await revoke()
    await expect.element(text(words.revoke.done.replace('{name}', 'Mei'))).toBeVisible()
    for (const what of ['sessions', 'kept', 'role'] as const)
      await expect.element(text(`${words.revoke.steps[what]}: ${words.revoke.ok}`)).toBeVisible()
  })

  it.each([
    [['role'], 'service'],
    [['kept'], 'disk'],
    [['kept', 'role'], 'both'],
  ] as const)('says what is left: %j', async (failing, left) => {
    await revoke(...failing)
    await expect.element(text(words.revoke.partly[left].replace('{name}', 'Mei'))).toBeVisible()
    for (const what of failing)
      await expect.element(text(`${words.revoke.steps[what]}: ${words.revoke.failed}`)).toBeVisible()
  })

  it('says in the question why it was refused', async () => {
    await show({}, { answers: { 'seats.board': () => board({}, [seat]), 'seats.revoke': late } })
    await page.getByRole('button', { name: starting(words.list.revoke) }).click()
    await page.getByRole('dialog').getByRole('button', { name: words.revoke.do }).click()
    await expect.element(page.getByRole('dialog').getByRole('alert')).toMatchTextContent(en.failure.late.sentence)
  })

  it('says that nobody was invited yet', async () => {
    await show()
    await expect.element(text(words.list.none)).toBeVisible()
  })
})
