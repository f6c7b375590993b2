/** Texts of the Studio that are cut, but for those whose whole is in their title. */
export const cut = (): string[] =>
  [...document.querySelectorAll<HTMLElement>('.body :is(p, span, h2, button, a, dt, dd, li)')]
    .filter((one) => one.checkVisibility() && one.childElementCount === 0 && !one.title && !one.matches('.sr-only'))
    .filter(
      (one) =>
        one.clientWidth > 1 && one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline',
    )
    .map((one) => one.textContent)
/** Cards and fields that end beyond what is around them. */
export const beyond = (): string[] => {
  const edge = document.querySelector('.body')!.getBoundingClientRect()
  return [...document.querySelectorAll<HTMLElement>('.body :is(.card, .card-part, .field-plain, button)')]
    .filter((one) => one.checkVisibility())
    .filter(
      (one) => one.getBoundingClientRect().right > edge.right + 1 || one.getBoundingClientRect().left < edge.left - 1,
    )
    .map((one) => one.getAttribute('aria-label') ?? one.textContent)
}
