import { onTestFinished } from 'vitest'

/** Dialogs that close take long to fade, so that what they show meanwhile can be read. */
export function fadeSlowly(): void {
  const rules = document.head.appendChild(document.createElement('style'))
  onTestFinished(() => rules.remove())
  rules.textContent = `
    @keyframes fade-slowly { to { opacity: 0 } }
    [role='dialog'][data-state='closed'] { animation: fade-slowly 60s !important }`
}
