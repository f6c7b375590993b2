/** What is said below the log: what keeps one from writing, or else what one was told last. */
export function createNote(node: HTMLElement, changed: () => void) {
  let told = ''
  let wasCounting = false
  return {
    /** Until something else is told, or `ms` have passed. */
    tell(text: string, ms?: number): void {
      told = text
      if (ms === undefined) return
      setTimeout(() => {
        if (told === text) told = ''
        changed()
      }, ms)
    },
    /** Is not told any more. */
    forget(text: string): void {
      if (told === text) told = ''
    },
    /** `isCounting`: only its time changes until it is over, which is read out once. */
    show(why: string, isCounting: boolean): void {
      const text = why || told
      node.setAttribute('aria-live', isCounting && wasCounting ? 'off' : 'polite')
      wasCounting = isCounting
      if (node.textContent !== text) node.textContent = text
      node.hidden = text === ''
    },
  }
}
