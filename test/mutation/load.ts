/**
 * Loads the sources of the area before its tests. Otherwise the first test that loads one lazily seems to be the only
 * one that reaches what runs while it is loaded, such as its constants, and Stryker would change those, too.
 */
for (const file of (process.env.MUTATION_SOURCES ?? '').split('\n')) await import(`../../${file}`)
