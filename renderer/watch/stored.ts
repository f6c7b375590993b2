/** What this browser keeps for the page; undefined without storage. */
export function stored(name: string): string | undefined {
  try {
    return localStorage.getItem(name) ?? undefined
  } catch {
    return undefined
  }
}
/** Keeps it where there is storage. */
export function store(name: string, value: string): void {
  try {
    localStorage.setItem(name, value)
  } catch {
    // In a frame of another site, or with storage turned off.
  }
}
/** What this tab keeps, also over a reload; empty without storage. */
export function storedInTab(name: string): string {
  try {
    return sessionStorage.getItem(name) ?? ''
  } catch {
    return ''
  }
}
/** Keeps it where there is storage; an empty value is removed. */
export function storeInTab(name: string, value: string): void {
  try {
    if (value === '') sessionStorage.removeItem(name)
    else sessionStorage.setItem(name, value)
  } catch {
    // As above.
  }
}
