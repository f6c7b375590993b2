import { describe, expect, it, onTestFinished } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h, nextTick, ref } from 'vue'
import type { Target } from '../../contract/rpc/targets.ts'
import { shareWords } from '../features/share/words.ts'
import ShareSheet from '../features/share/share-sheet.vue'
import TargetsCard from '../features/targets/targets-card.vue'
import { targetsWords } from '../features/targets/words.ts'
import { spoken } from '../format/languages.ts'
import { makeTarget } from '../testing/fake-targets.ts'
import { began, channel, mounted, settled, withProps } from '../testing/mounted.ts'
import FormDialog from './form-dialog.vue'
import { keepFocus } from './kept-focus.ts'

const { targets: words } = spoken(targetsWords, 'en')
const { share } = spoken(shareWords, 'en')
const one = channel(1, { status: 1 })
const at = { profileId: 'local', cid: one.cid }
const button = (name: string) => page.getByRole('button', { name, exact: true })
const focus = (name: string): void => (button(name).element() as HTMLElement).focus()
const keep = (): void => onTestFinished(keepFocus())

describe('the focus', () => {
  it('stays on a button that is disabled while its work goes on', async () => {
    keep()
    let targets: Target[] = [makeTarget(1)]
    const { promise, resolve } = Promise.withResolvers<undefined>()
    await mounted(TargetsCard, {
      props: { ...at, live: true, kbps: 6_000 },
      channels: [one],
      answers: {
        'targets.list': () => ({ needs: 0, budget: 0, waiting: 0, targets }),
        'targets.stop': async () => {
          await promise
          targets = [makeTarget(1, { state: 'stopped' })]
        },
      },
    })
    await expect.element(button('Stop Twitch')).toBeVisible()
    focus('Stop Twitch')
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => document.activeElement).toBe(document.body)
    resolve(undefined)
    await expect.element(button('Start Twitch')).toHaveFocus()
  })

  it('goes to what is left of a card whose button was replaced, as by the first target', async () => {
    keep()
    let targets: Target[] = []
    await mounted(TargetsCard, {
      props: { ...at, live: true, kbps: 6_000 },
      channels: [one],
      answers: {
        'targets.list': () => ({ needs: 0, budget: 0, waiting: 0, targets }),
        'targets.add': () => {
          targets = [makeTarget(1, { name: 'Campus' })]
          return { targetId: 1, key: 'none' }
        },
      },
    })
    await expect.element(button(words.none)).toBeVisible()
    focus(words.none)
    await userEvent.keyboard('{Enter}')
    await button('Other').click()
    await page.getByLabelText(words.form.name, { exact: true }).fill('Campus')
    await page.getByLabelText(words.form.server, { exact: true }).fill('rtmp://127.0.0.1:9/app')
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
    await expect.element(button(words.add)).toHaveFocus()
  })

  it('goes back over dialogs that are gone to what had it before them', async () => {
    keep()
    const open = ref<'none' | 'first' | 'second'>('none')
    const form = (name: 'first' | 'second') =>
      h(
        FormDialog,
        {
          title: name,
          lead: name,
          action: 'Go',
          busy: false,
          failure: null,
          open: open.value === name,
          'onUpdate:open': (isOpen: boolean) => {
            if (!isOpen && open.value === name) open.value = 'none'
          },
        },
        { default: () => h('input', { 'aria-label': name }) },
      )
    await mounted({
      render: () => [h('button', { onClick: () => (open.value = 'first') }, 'Open'), form('first'), form('second')],
    })
    focus('Open')
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByLabelText('first').last()).toHaveFocus()
    open.value = 'second'
    await nextTick()
    await expect.element(page.getByLabelText('second').last()).toHaveFocus()
    await userEvent.keyboard('{Escape}')
    await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
    await expect.element(button('Open')).toHaveFocus()
  })

  it('is not given to somebody else in a room, where a key acts on the person who has it', async () => {
    keep()
    const people = ref(['Ann', 'Ben'])
    await mounted({
      render: () =>
        h('main', [
          h('div', [
            h('section', { 'data-keeps-focus': '' }, [h('p', 'Room')]),
            h(
              'aside',
              people.value.map((name) => h('button', { key: name }, name)),
            ),
          ]),
        ]),
    })
    focus('Ann')
    people.value = ['Ben']
    await nextTick()
    await settled()
    expect(document.activeElement).toBe(document.body)
  })

  it('goes to Undo in the row of a link that was revoked, and back to its row', async () => {
    keep()
    const link = { linkId: 3, name: 'Mum', ending: 'x7Qz', created: began, viewers: 2 }
    let revoked = false
    const access = () => ({
      mode: 'links',
      closed: false,
      passphrase: false,
      embedOrigins: [],
      viewers: 2,
      links: [revoked ? { ...link, revoked: began, ended: 2 } : link],
    })
    await mounted(withProps(ShareSheet, { open: true, on: at, name: 'Night Radio' }), {
      answers: {
        'operations.access.access': () => ({ ret: access() }),
        'operations.access.watchLimits': () => ({
          ret: {
            maxViewers: 0,
            maxKbps: 0,
            maxGigabytes: 0,
            viewers: 2,
            kbps: 0,
            targetsKbps: 0,
            monthBytes: 0,
            waiting: 0,
          },
        }),
        'operations.access.schedule': () => ({ ret: {} }),
        'operations.reach.reach': () => ({
          ret: {
            reach: 'computer',
            rtmp: false,
            url: 'http://127.0.0.1:8711',
            freeHere: true,
            results: [],
            doors: [],
            encryption: 'none',
            proxies: [],
            fixed: [],
          },
        }),
        'operations.reach.visits': () => ({ ret: { list: [] } }),
        'operations.access.revokeNamedLink': () => {
          revoked = true
          return { ret: { ended: 2 } }
        },
        'operations.access.restoreNamedLink': () => {
          revoked = false
          return {}
        },
      },
    })
    await expect.element(button(share.named.revoke)).toBeVisible()
    focus(share.named.revoke)
    await userEvent.keyboard('{Enter}')
    await expect.element(button(share.named.askAction)).toBeVisible()
    focus(share.named.askAction)
    await userEvent.keyboard('{Enter}')
    await expect.element(button(share.named.undo)).toHaveFocus()
    await userEvent.keyboard('{Enter}')
    await expect.element(button(share.named.copy.replace('{name}', 'Mum'))).toHaveFocus()
  })

  it('is not given back where it was taken away on purpose', async () => {
    keep()
    const more = ref(0)
    await mounted({ render: () => [h('button', 'One'), h('p', 'text'), more.value ? h('i') : null] })
    focus('One')
    await page.getByText('text', { exact: true }).click({ force: true })
    await expect.poll(() => document.activeElement).toBe(document.body)
    more.value = 1
    await settled()
    expect(document.activeElement).toBe(document.body)
    focus('One')
    ;(button('One').element() as HTMLElement).blur()
    await settled()
    more.value = 0
    await settled()
    expect(document.activeElement).toBe(document.body)
  })
})
