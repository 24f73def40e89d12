/** The global variable in which the regions that ran are collected, in the process of the tests. */
export const regionCounter = "regionsThatRan";
