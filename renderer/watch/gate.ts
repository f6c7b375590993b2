import { inBackground } from '../background.ts'
import { watchPath, type WatchState } from '../../contract/watch.ts'
import { element, icon, type IconName } from './element.ts'
import { embedOf, framedQuery, wholePage } from './embed.ts'
import { channel, root } from './place.ts'
import { count, say, type Word } from './words.ts'

type Gate = NonNullable<WatchState['gate']>

/** In characters; as JSON it stays below `maxEnterBody`. */
const maxPassphrase = 128
/** In s, where the service says none. */
const usualWait = 30

const gates: Readonly<Record<Gate, { readonly icon: IconName; readonly title: Word; readonly note: Word }>> = {
  passphrase: { icon: 'lock', title: 'gatePassphrase', note: 'gatePassphraseNote' },
  link: { icon: 'key', title: 'gateLink', note: 'gateLinkNote' },
  ended: { icon: 'key', title: 'gateEnded', note: 'gateEndedNote' },
  full: { icon: 'queue', title: 'gateFull', note: 'gateFullNote' },
  embed: { icon: 'off', title: 'gateEmbed', note: 'gateEmbedNote' },
  closed: { icon: 'off', title: 'gateClosed', note: 'gateClosedNote' },
}
/** Full, where the named link is, and where the passphrase lets in without it. */
const linkFull = { icon: 'queue', title: 'gateLinkFull', note: 'gateLinkFullNote' } as const
const linkFullPassphrase = { ...linkFull, note: 'gateLinkFullPassphrase' } as const
/** Full, where only the share of the household is. */
const shareFull = { icon: 'queue', title: 'gateShareFull', note: 'gateShareFullNote' } as const
const aboutOf = (gate: Gate, { isLinkFull, takesPassphrase, isShareFull }: WatchState): (typeof gates)[Gate] =>
  isLinkFull ? (takesPassphrase ? linkFullPassphrase : linkFull) : isShareFull ? shareFull : gates[gate]
/** What became of the link where a passphrase lets in all the same. */
const linksOver = { ended: 'linkEnded', revoked: 'linkOver' } as const satisfies Readonly<Record<string, Word>>
/** What one reads who was inside. */
const putOut: Readonly<Partial<Record<Gate, Word>>> = {
  passphrase: 'outPassphrase',
  link: 'outLink',
  closed: 'outClosed',
}

/**
 * What stands in the place of picture and chat while a visitor is not let in; `entered` reads the state again, and
 * `opened` is told that the passphrase let in.
 */
export function createGate(entered: () => Promise<void>, opened: () => void = () => undefined) {
  const sign = element('div', { class: 'gate-sign' })
  const title = element('h2', { tabindex: '-1' })
  const why = element('p', { class: 'gate-why', role: 'status' })
  const note = element('p', { class: 'gate-note' })
  const turn = element('p', { class: 'gate-turn', role: 'status' })
  const gone = element('p', { class: 'gate-turn gate-gone', role: 'status' })
  gone.hidden = true
  const field = element('input', {
    type: 'password',
    id: 'passphrase',
    maxlength: String(maxPassphrase),
    required: '',
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
    // It belongs to all viewers: no manager of passwords has to offer to keep it.
    'data-1p-ignore': '',
    'data-lpignore': 'true',
    'data-bwignore': '',
    'aria-describedby': 'passphrase-trouble',
  })
  const plain = element('input', { type: 'checkbox' })
  const submit = element('button', { type: 'submit', class: 'primary' }, say('enter'))
  const trouble = element('p', { class: 'gate-trouble', id: 'passphrase-trouble', role: 'alert' })
  const form = element(
    'form',
    { class: 'gate-form' },
    element('label', { for: field.id }, say('passphrase')),
    element('div', { class: 'gate-row' }, field, submit),
    element('label', { class: 'gate-plain' }, plain, say('showPassphrase')),
    trouble,
  )
  const out = element(
    'a',
    { class: 'button', href: wholePage, target: '_blank', rel: 'noopener' },
    icon('popOut', 16),
    say('openPage'),
  )
  out.hidden = embedOf(location) === undefined
  const node = element('section', { class: 'gate' }, sign, title, why, note, turn, gone, form, out)
  node.hidden = true
  /** What it says, and whether the passphrase is asked for. */
  let shown: (typeof gates)[Gate] | undefined
  let isAsking = false
  let isSending = false
  let timer: ReturnType<typeof setInterval> | undefined

  const tell = (text: string): void => {
    trouble.textContent = text
    trouble.hidden = text === ''
  }
  const waiting = (): boolean => timer !== undefined
  const stopWaiting = (): void => {
    clearInterval(timer)
    timer = undefined
    submit.setAttribute('aria-disabled', 'false')
  }
  const waitFor = (seconds: number): void => {
    stopWaiting()
    let rest = seconds
    const show = (): void => tell(say('passphraseWait', { seconds: rest }))
    submit.setAttribute('aria-disabled', 'true')
    // Only the first and the last are read out: the seconds between change the text alone.
    trouble.setAttribute('aria-live', 'assertive')
    show()
    timer = setInterval(() => {
      trouble.setAttribute('aria-live', 'off')
      rest -= 1
      if (rest > 0) return show()
      stopWaiting()
      trouble.setAttribute('aria-live', 'assertive')
      tell(say('passphraseAgain'))
    }, 1000)
  }
  const send = async (passphrase: string): Promise<void> => {
    const answer = await fetch(`${root}${watchPath}${channel}/enter${framedQuery()}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ passphrase }),
    }).catch(() => undefined)
    if (answer?.status === 204) {
      await entered()
      if (isAsking) {
        tell(say('notKept'))
        // In a low frame it is below the edge, and so is the way out.
        trouble.scrollIntoView({ block: 'nearest' })
        if (!out.hidden) out.scrollIntoView({ block: 'nearest' })
      } else {
        opened()
        field.value = ''
        // The field that had the focus is gone.
        const stage = document.querySelector<HTMLElement>('.stage')
        stage?.setAttribute('tabindex', '-1')
        stage?.focus({ preventScroll: true })
      }
      return
    }
    if (answer?.status === 429)
      return waitFor(Math.max(1, Math.ceil(Number(answer.headers.get('retry-after')) || usualWait)))
    tell(say(answer?.status === 403 ? 'passphraseWrong' : 'notEntered'))
    field.select()
    field.focus()
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (field.value === '' || isSending || waiting()) return
    isSending = true
    tell('')
    inBackground(
      send(field.value).finally(() => {
        isSending = false
      }),
    )
  })
  field.addEventListener('input', () => {
    if (!waiting()) tell('')
  })
  plain.addEventListener('change', () => {
    field.type = plain.checked ? 'text' : 'password'
  })
  const unheard = (isNow: boolean): void => {
    const text = isNow ? say('serviceGone') : ''
    if (gone.textContent !== text) gone.textContent = text
    gone.hidden = !isNow
    if (isNow) turn.hidden = true
  }
  return {
    node,
    /** The service does not answer: what place the visitor has is not known until it does. */
    unheard: (): void => unheard(true),
    /** `wasInside`: the person watched until now. Without a gate it is gone. */
    show(state: WatchState, wasInside: boolean): void {
      const { gate: next, linkOver, ahead } = state
      const before = shown
      shown = next && aboutOf(next, state)
      unheard(false)
      isAsking = next === 'passphrase' || state.takesPassphrase === true
      node.hidden = next === undefined
      if (!next || !shown) return
      const { icon: name, title: word, note: about } = shown
      const place =
        ahead === undefined
          ? ''
          : ahead === 0
            ? say('aheadNone')
            : ahead === 1
              ? say('aheadOne')
              : say('ahead', { count: count(ahead) })
      const text = next === 'full' ? place : ''
      if (turn.textContent !== text) turn.textContent = text
      turn.hidden = text === ''
      if (shown === before) return
      stopWaiting()
      tell('')
      sign.replaceChildren(icon(name, 28))
      title.textContent = say(word)
      const reason = linkOver ? linksOver[linkOver] : wasInside ? putOut[next] : undefined
      why.textContent = reason === undefined ? '' : say(reason)
      why.hidden = reason === undefined
      note.textContent = say(about)
      form.hidden = !isAsking
      // Who was inside has lost the place of the focus. A frame takes none from the page around it.
      if (next === 'passphrase' && (wasInside || embedOf(location) === undefined)) field.focus()
      else if (wasInside) title.focus()
    },
  }
}
