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
