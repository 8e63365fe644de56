-- Who may read the views that every version has had

/*
 * This runs in a new installation only.  An update makes these views anew, and leaves what
 * administrators have granted and revoked.
 */
REVOKE ALL ON TABLE dpobj.families, dpobj.budget_sums, dpobj.budget_state, dpobj.budgets, dpobj.odometer,
    dpobj.protected, dpobj.models FROM PUBLIC;
GRANT SELECT ON TABLE dpobj.budgets, dpobj.odometer, dpobj.protected, dpobj.models TO PUBLIC;
