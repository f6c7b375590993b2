import axe from 'axe-core'
import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { maxBroadcastTitle } from '../../../contract/operations/broadcasts.ts'
import type { Tally } from '../../../contract/rpc/index.ts'
import { spoken } from '../../format/languages.ts'
import { failed, type Answers } from '../../testing/memory-client.ts'
import { tallies, tally } from '../../testing/mounted.ts'
import { openBefore, waiting } from '../../testing/mounted-studio.ts'
import { beforeWords } from './words-before.ts'

const words = spoken(beforeWords, 'en').before.called
const title = 'Requests until one, with Ana'
const broadcastId = 'b'.repeat(24)
const next = (nextTitle?: string) => tallies([tally(waiting, nextTitle === undefined ? {} : { nextTitle })])
const live = (change: Partial<Tally> = {}) => tallies([tally({ ...waiting, status: 1 }, change)])
const field = () => page.getByRole('textbox', { name: words.label })
const saves: Answers = {
  'operations.access.setNextTitle': () => ({}),
  'operations.broadcast.setBroadcastTitle': () => ({}),
}
const opened = async (nextTitle?: string, answers: Answers = saves) => {
  const studio = await openBefore({ answers, events: [next(nextTitle)] })
  await expect.element(field()).toHaveValue(nextTitle ?? '')
  return {
    ...studio,
    /** Titles that were sent, of the next broadcast and of those on air. */
    sent: () => studio.client.inputs('operations.access.setNextTitle').map(({ call }) => call.title),
    sentOnAir: () => studio.client.inputs('operations.broadcast.setBroadcastTitle').map(({ call }) => call),
  }
}

describe('the title for viewers', () => {
  it('is counted, and saved as the field is left, or by Enter', async () => {
    const { sent } = await opened()
    await userEvent.fill(field(), ` ${title} `)
    await expect.element(page.getByText(`${title.length} / ${maxBroadcastTitle}`)).toBeVisible()
    expect(sent()).toEqual([])
    await userEvent.tab()
    await expect.poll(sent).toEqual([title])
    await expect.element(page.getByText(words.saved)).toBeVisible()
    await expect.element(field()).toHaveValue(title)
    await userEvent.fill(field(), 'Covers 😀')
    await expect.element(page.getByText(`8 / ${maxBroadcastTitle}`)).toBeVisible()
    await expect.element(page.getByText(words.saved)).not.toBeInTheDocument()
    await userEvent.keyboard('{Enter}')
    await expect.poll(sent).toEqual([title, 'Covers 😀'])
    await expect.element(field()).toHaveFocus()
    // What is saved is not saved again, also before the service tells it.
    await userEvent.tab()
    await userEvent.fill(field(), '')
    await userEvent.tab()
    await expect.poll(sent).toEqual([title, 'Covers 😀', ''])
  })

  it('is what was saved again after Escape', async () => {
    const { sent, tell } = await opened(title)
    await userEvent.fill(field(), 'Cov')
    // Of the list of characters to choose from.
    const escape = { key: 'Escape', bubbles: true, isComposing: true }
    field().element().dispatchEvent(new KeyboardEvent('keydown', escape))
    await expect.element(field()).toHaveValue('Cov')
    await userEvent.keyboard('{Escape}')
    await expect.element(field()).toHaveValue(title)
    await userEvent.tab()
    // Later than a call would have been made.
    await tell(next('Covers'))
    await expect.element(field()).toHaveValue('Covers')
    expect(sent()).toEqual([])
  })

  it('keeps what is typed where it could not be saved, and says so until it is', async () => {
    let isDown = true
    const { sent } = await opened('', {
      'operations.access.setNextTitle': () => {
        if (isDown) throw failed({ kind: 'unreachable' })
        return {}
      },
    })
    await userEvent.fill(field(), title)
    await userEvent.tab()
    const alert = page.getByRole('alert').filter({ hasText: words.failed })
    await expect.element(alert).toBeVisible()
    await expect.element(field()).toHaveValue(title)
    isDown = false
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect.poll(sent).toHaveLength(2)
    await expect.element(alert).not.toBeInTheDocument()
    await expect.element(page.getByText(words.saved)).toBeVisible()
  })

  it('is not sent while it is too long, which is said, and Escape gives back the one before', async () => {
    const { sent } = await opened(title)
    await userEvent.fill(field(), 'x'.repeat(maxBroadcastTitle + 1))
    await expect.element(page.getByRole('alert').filter({ hasText: `${maxBroadcastTitle}` })).toBeVisible()
    await expect.element(field()).toHaveAttribute('aria-invalid', 'true')
    await userEvent.keyboard('{Enter}')
    await userEvent.tab()
    await field().click()
    await userEvent.keyboard('{Escape}')
    await expect.element(field()).toHaveValue(title)
    expect(sent()).toEqual([])
  })

  it('takes that of another window, but not over what is being typed', async () => {
    const { tell, sent } = await opened(title)
    await tell(next('Covers'))
    await expect.element(field()).toHaveValue('Covers')
    await userEvent.fill(field(), 'Late covers')
    await tell(next('Requests'))
    await expect.element(field()).toHaveValue('Late covers')
    await userEvent.keyboard('{Escape}')
    await expect.element(field()).toHaveValue('Requests')
    expect(sent()).toEqual([])
  })

  it('of what is typed as a broadcast begins is that of the broadcast', async () => {
    const { tell, sent, sentOnAir } = await opened('Covers')
    await userEvent.fill(field(), title)
    await tell(live({ nextTitle: 'Covers' }))
    await userEvent.tab()
    // Which one it is comes a moment later.
    expect([sent(), sentOnAir()]).toEqual([[], []])
    await expect.element(field()).toHaveValue(title)
    await tell(live({ broadcastId, broadcastTitle: 'Covers' }))
    await expect.poll(sentOnAir).toEqual([{ broadcastId, title }])
    expect(sent()).toEqual([])
    await expect.element(field()).not.toBeInTheDocument()
    await tell(next())
    await expect.element(field()).toHaveValue('')
  })

  it('is saved where another screen comes without the field being left', async () => {
    const { sent, router } = await opened()
    // Browsers differ in whether a field that goes is left: here it never had the focus.
    const input = field().element() as HTMLInputElement
    input.value = title
    input.dispatchEvent(new InputEvent('input'))
    await expect.element(page.getByText(`${title.length} / ${maxBroadcastTitle}`)).toBeVisible()
    await router.push('/studio/' + '9'.repeat(32))
    await expect.poll(sent).toEqual([title])
  })

  it('is not there on air', async () => {
    const { tell } = await opened(title)
    await tell(live({ broadcastId, broadcastTitle: title }))
    await expect.element(field()).not.toBeInTheDocument()
  })

  it('is not there for a service that has none', async () => {
    await openBefore({ profile: 'hosted-1' })
    await expect.element(page.getByText('Waiting for a picture').first()).toBeVisible()
    await expect.element(field()).not.toBeInTheDocument()
  })

  it('has its name and no violation, and is in no way HTML', async () => {
    await opened('<b>Requests</b>')
    await expect.element(field()).toHaveValue('<b>Requests</b>')
    const { violations } = await axe.run(document.querySelector('.viewers-title')!, { runOnly: ['wcag2a', 'wcag2aa'] })
    expect(violations).toEqual([])
  })
})
