/** How many files run side by side. A test mostly waits for one process that it started, so two fill two processors. */
export const maxWorkers = 2
