import type { Page } from 'playwright/test'
import type { ShownFigure } from './truth.ts'

/** What a screen shows: every figure that names its source, and every digit that stands outside of one. */
export interface ShownFigures {
  readonly figures: readonly ShownFigure[]
  /** Text with a digit that no `data-figure` is around, with where it stands. */
  readonly loose: readonly string[]
}

/**
 * What may have digits and is no figure: what people called something (`data-name`), what is entered, what is copied as it is (ids,
 * addresses, keys: `mono` and `translate="no"`), keys of the keyboard, drawings, what only a screen reader hears, and what floats above.
 */
const noFigures =
  '[data-name], input, textarea, select, kbd, svg, .mono, [translate="no"], .sr-only, [role="dialog"], [role="menu"], [data-sonner-toaster], ol.toaster'

/** Reads every figure of the window that is open, and every digit that is none. */
export const shownFigures = (page: Page): Promise<ShownFigures> =>
  page.evaluate((noFigures) => {
    const shell = document.querySelector('.window')
    if (!shell) throw new Error('there is no window')
    const isSeen = (element: Element): boolean =>
      element.checkVisibility({ opacityProperty: false, visibilityProperty: true })
    const figures = [...shell.querySelectorAll<HTMLElement>('[data-figure]')].filter(isSeen).map((element) => ({
      figure: element.dataset['figure'] ?? '',
      of: element.dataset['of'] ?? '',
      text: element.innerText.replace(/\s+/g, ' ').trim(),
      state: element.dataset['state'] ?? '',
      at: Number(element.dataset['at'] ?? Number.NaN),
    }))
    const loose: string[] = []
    const texts = document.createTreeWalker(shell, NodeFilter.SHOW_TEXT)
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      const within = node.parentElement
      if (
        !within ||
        !/\d/.test(node.nodeValue ?? '') ||
        within.closest(`[data-figure], ${noFigures}`) ||
        !isSeen(within)
      )
        continue
      const region = within.closest('[aria-label]')?.getAttribute('aria-label') ?? ''
      loose.push(`${region}: ${(node.nodeValue ?? '').trim()}`)
    }
    return { figures, loose }
  }, noFigures)
