import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { AppEvent } from '../../../contract/rpc/events.ts'
import type { ServiceState } from '../../../contract/rpc/index.ts'
import { makeComputer } from '../../testing/fake-computer.ts'
import { makeService } from '../../testing/fake-state.ts'
import { failed } from '../../testing/memory-client.ts'
import { began, channel, mounted, service, tallies, tally, withParts } from '../../testing/mounted.ts'
import FrameNotes from './frame-notes.vue'
import ServiceBanner from './service-banner.vue'
import { spoken } from '../../format/languages.ts'
import { frameWords } from './words.ts'

const en = spoken(frameWords, 'en')
const zh = spoken(frameWords, 'zh')

const stopped = (change: Partial<ServiceState> = {}): AppEvent => ({
  type: 'service',
  service: { ...makeService(began, 'stopped'), ...change },
})
const show = (event: AppEvent, options: Parameters<typeof mounted>[1] = {}) =>
  mounted(withParts(FrameNotes, ServiceBanner), { events: [event], ...options })
const button = (name: string) => page.getByRole('button', { name })
const dialog = () => page.getByRole('dialog')
const copy = { name: 'copy-1', at: began - 3_600_000, bytes: 5_000_000 }
const damaged = stopped({ database: { kind: 'damaged', detail: 'malformed', copies: [copy] } })

describe('a service that is down', () => {
  it('is started again by its button', async () => {
    const { client } = await show(stopped(), { answers: { 'app.restartService': () => undefined } })
    await button(en.service.restart).click()
    await expect.poll(() => client.inputs('app.restartService').length).toBe(1)
  })

  it('says why it could not be started', async () => {
    await show(stopped(), {
      answers: {
        'app.restartService': () => {
          throw failed({ kind: 'internal' })
        },
      },
    })
    await button(en.service.restart).click()
    await expect.element(page.getByRole('alert')).toBeVisible()
  })

  it('shows its log', async () => {
    await show(stopped(), { answers: { 'app.serviceLog': () => ['{"level":50,"time":1,"msg":"port is taken"}'] } })
    await button(en.service.openLog).click()
    await expect.element(dialog()).toMatchTextContent('port is taken')
  })

  it('is not told of while it runs', async () => {
    await show(stopped({ phase: 'running' }))
    expect(button(en.service.restart).query()).toBeNull()
  })
})

describe('a database that cannot be used', () => {
  it('is replaced by the copy of the button', async () => {
    const { client } = await show(damaged, { answers: { 'app.recoverDatabase': () => undefined } })
    await page.getByRole('button', { name: new RegExp(`^${en.database.restore.split('{')[0]}`) }).click()
    await expect.poll(() => client.inputs('app.recoverDatabase')).toEqual([{ copy: copy.name }])
  })

  it('is replaced by an older copy by the button of that one', async () => {
    const older = { name: 'copy-2', at: began - 90_000_000, bytes: 4_000_000 }
    const database = { kind: 'damaged' as const, detail: '', copies: [copy, older] }
    const { client } = await show(stopped({ database }), { answers: { 'app.recoverDatabase': () => undefined } })
    await page
      .getByRole('button', { name: new RegExp(`^${en.database.restore.split('{')[0]}`) })
      .last()
      .click()
    await expect.poll(() => client.inputs('app.recoverDatabase')).toEqual([{ copy: older.name }])
  })

  it('is begun anew only after a question', async () => {
    const { client } = await show(damaged, { answers: { 'app.recoverDatabase': () => undefined } })
    await button(en.database.anew).click()
    await expect.element(dialog()).toMatchTextContent(en.database.anewCopies)
    expect(client.inputs('app.recoverDatabase')).toEqual([])
    await dialog().getByRole('button', { name: en.database.anewNow }).click()
    await expect.poll(() => client.inputs('app.recoverDatabase')).toEqual([{ copy: null }])
  })

  it.each(
    (['missing', 'damaged', 'newer', 'notAFile', 'unreadable'] as const).flatMap((kind) =>
      (['en', 'zh'] as const).map((language) => [kind, language] as const),
    ),
  )('is told of with its reason: %s, in %s', async (kind, language) => {
    await show(stopped({ database: { kind, detail: '', copies: [copy] } }), { language })
    if (language === 'en') await expect.element(page.getByText(en.database.kind[kind])).toBeVisible()
    else await expect.element(page.getByRole('button').first()).toBeVisible()
  })
})

const title = () => page.getByRole('status').first()
const note = () => document.querySelector('.note')?.textContent ?? ''
const { database: databaseWords, service: serviceWords } = en
const onAir = channel(1, { status: 1 })

describe('the title of a service that is down', () => {
  it.each([
    ['something of this computer is on air', [onAir], serviceWords.restartingOnAir],
    ['nothing is on air', [channel(1)], serviceWords.restarting],
  ] as const)('says what its restart means where %s', async (_case, channels, says) => {
    await show(service('restarting'), { channels })
    await expect.element(title()).toHaveTextContent(says)
  })

  it('speaks of no viewers where only a hosted service is on air', async () => {
    const { tell } = await show(service('restarting'), { channels: [channel(1)] })
    await tell(tallies([tally(onAir)], 'hosted-1'))
    await expect.element(title()).toHaveTextContent(serviceWords.restarting)
  })

  it('says that it does not restart by itself once it has stopped', async () => {
    await show(stopped(), { channels: [onAir] })
    await expect.element(title()).toHaveTextContent(serviceWords.stopped)
    await expect.poll(note).toContain(serviceWords.stoppedNext)
  })

  it('counts the seconds to the next attempt and the attempts that are left', async () => {
    const restarting = { ...makeService(began, 'fault'), nextAttempt: began + 9_000, attempt: 5 }
    const { pass } = await show({ type: 'service', service: restarting })
    await expect.poll(note).toContain('Next attempt in 9 s, 1 attempt left.')
    await pass(4_000)
    await expect.poll(note).toContain('Next attempt in 5 s, 1 attempt left.')
  })

  it('is not shown to a hosted profile', async () => {
    await show(stopped(), { profile: 'hosted-1' })
    expect(page.getByRole('status').query()).toBeNull()
  })

  it('says of a service that answers late that it is not restarted, and has its log', async () => {
    await show(
      { type: 'service', service: { ...makeService(began, 'full'), busySince: began } },
      { answers: { 'app.serviceLog': () => ['slow disk'] } },
    )
    await expect.element(title()).toHaveTextContent(serviceWords.busy)
    expect(note()).toContain(serviceWords.busyNext)
    expect(button(serviceWords.restart).query()).toBeNull()
    await button(serviceWords.openLog).click()
    await expect.element(dialog()).toMatchTextContent('slow disk')
  })

  it('says that the data folder is being moved instead, and leads to the move', async () => {
    const computer = makeComputer('fault', began)
    const { router } = await show(stopped(), { events: [stopped(), { type: 'computer', computer }] })
    await expect.element(title()).toHaveTextContent(serviceWords.moving)
    expect(button(serviceWords.restart).query()).toBeNull()
    await page.getByRole('link', { name: serviceWords.movingLink }).click()
    await expect.poll(() => router.currentRoute.value.path).toBe('/settings/computer')
  })

  it('says nothing of a move while the service runs', async () => {
    const events: AppEvent[] = [service('running'), { type: 'computer', computer: makeComputer('fault', began) }]
    await show(service('running'), { events })
    expect(page.getByRole('status').query()).toBeNull()
  })
})

describe('the copies of a database that cannot be used', () => {
  const restore = () => button(databaseWords.restore.replace('{date}', '2026-11-26 15:00').replace('{size}', '5.00 MB'))
  const again = (phase: 'stopped' | 'running'): AppEvent => (phase === 'running' ? service('running') : damaged)

  it('are offered with their time and size, the newest one foremost', async () => {
    const older = { name: 'copy-2', at: began - 90_000_000, bytes: 4_000_000 }
    await show(stopped({ database: { kind: 'damaged', detail: '', copies: [copy, older] } }))
    await expect.element(restore()).toBeVisible()
    const all = page.getByRole('button', { name: new RegExp(`^${databaseWords.restore.split('{')[0]}`) })
    const grounds = all.elements().map((each) => getComputedStyle(each).backgroundColor)
    expect(grounds).toHaveLength(2)
    expect(grounds[0]).not.toBe(grounds[1])
  })

  it.each(['missing', 'damaged', 'newer', 'notAFile', 'unreadable'] as const)(
    'come with what to do next, and what the system said: %s',
    async (kind) => {
      await show(stopped({ database: { kind, detail: 'SQLITE_CORRUPT <11>', copies: [copy] } }))
      await expect.element(title()).toHaveTextContent(databaseWords.kind[kind])
      expect(note()).toContain(databaseWords.next[kind])
      await expect.element(page.getByText('SQLITE_CORRUPT <11>', { exact: true })).toBeVisible()
    },
  )

  it('are missed where there is none, and a new database warns of none', async () => {
    await show(stopped({ database: { kind: 'damaged', detail: '', copies: [] } }))
    await expect.poll(note).toContain(databaseWords.noCopy)
    expect(note()).not.toContain(databaseWords.next.damaged)
    await button(databaseWords.anew).click()
    await expect.element(dialog()).toMatchTextContent(databaseWords.anewBody)
    await expect.element(dialog()).not.toMatchTextContent(databaseWords.anewCopies)
  })

  it('are said to be restored meanwhile, and not any more once the service runs', async () => {
    const { tell } = await show(damaged, { answers: { 'app.recoverDatabase': () => undefined } })
    await restore().click()
    await expect.element(title()).toHaveTextContent(databaseWords.restoring.replace('{date}', '2026-11-26 15:00'))
    expect(note()).toContain(databaseWords.wait)
    await tell(again('running'))
    await expect.element(title()).not.toBeInTheDocument()
  })

  it.each([
    ['en', en, `${databaseWords.copyFailed.replace('{date}', '2026-11-26 15:00')} ${databaseWords.next.damaged}`],
    ['zh', zh, `${zh.database.copyFailed.replace('{date}', '2026-11-26 15:00')}${zh.database.next.damaged}`],
  ] as const)('are said not to be in place where the service stops again, in %s', async (language, words, says) => {
    const { tell } = await show(damaged, { language, answers: { 'app.recoverDatabase': () => undefined } })
    await button(words.database.restore.replace('{date}', '2026-11-26 15:00').replace('{size}', '5.00 MB')).click()
    await tell(again('stopped'))
    await expect.poll(note).toContain(says)
  })

  it('are not restored where the app refuses it, which says why', async () => {
    const fail = () => {
      throw failed({ kind: 'full' })
    }
    await show(damaged, { answers: { 'app.recoverDatabase': fail } })
    await restore().click()
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.full.sentence)
    expect(note()).toContain(databaseWords.copyFailed.replace('{date}', '2026-11-26 15:00'))
  })

  it('are left alone for a new database, which is said to be begun, and not to be where that failed', async () => {
    const { tell } = await show(damaged, { answers: { 'app.recoverDatabase': () => undefined } })
    await button(databaseWords.anew).click()
    await dialog().getByRole('button', { name: databaseWords.anewNow }).click()
    await expect.element(title()).toHaveTextContent(databaseWords.beginning)
    await tell(again('stopped'))
    await expect.poll(note).toContain(`${databaseWords.anewFailed} ${databaseWords.next.damaged}`)
  })

  it('and the database stay as they are when the question is cancelled', async () => {
    const { client } = await show(damaged)
    await button(databaseWords.anew).click()
    await dialog().getByRole('button', { name: en.word.cancel }).click()
    await expect.element(dialog()).not.toBeInTheDocument()
    expect(client.inputs('app.recoverDatabase')).toEqual([])
  })

  it('need not be used where the service starts by another try, which says why it did not', async () => {
    const fail = () => {
      throw failed({ kind: 'late' })
    }
    const { client } = await show(damaged, { answers: { 'app.restartService': fail } })
    await button(en.word.retry).click()
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.late.sentence)
    expect(client.inputs('app.restartService')).toHaveLength(1)
    expect(client.inputs('app.recoverDatabase')).toEqual([])
  })

  it('stand beside the log of the service', async () => {
    await show(damaged, { answers: { 'app.serviceLog': () => ['database disk image is malformed'] } })
    await button(serviceWords.openLog).click()
    await expect.element(dialog()).toMatchTextContent('database disk image is malformed')
  })
})
