import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { AppEvent } from '../../../contract/rpc/events.ts'
import type { ServiceState } from '../../../contract/rpc/index.ts'
import { makeService } from '../../testing/fake-state.ts'
import { failed } from '../../testing/memory-client.ts'
import { began, mounted, withParts } from '../../testing/mounted.ts'
import FrameNotes from './frame-notes.vue'
import ServiceBanner from './service-banner.vue'
import { spoken } from '../../format/languages.ts'
import { frameWords } from './words.ts'

const en = spoken(frameWords, 'en')

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
